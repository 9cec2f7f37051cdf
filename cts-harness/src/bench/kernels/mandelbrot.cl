// How many steps each point of the plane takes to leave the circle of radius 2.

kernel void mandelbrot(uint most, float left, float top, float step, global uint *steps)
{
    uint x = get_global_id(0), y = get_global_id(1);
    float cx = left + x * step, cy = top + y * step;
    float zx = 0, zy = 0;
    uint n = 0;
    while (n < most && zx * zx + zy * zy < 4) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        n++;
    }
    steps[y * get_global_size(0) + x] = n;
}
