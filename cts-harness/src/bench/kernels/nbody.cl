// Accelerations of n bodies by all pairs; a work-group shares tiles of bodies in local memory.
// Compiled with REAL and REAL4, and INVERSE_ROOT for what gives 1/√x.

#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define GROUP 256

// A body is its place and, last, its mass.
kernel void nbody(uint count, REAL softening, global const REAL4 *bodies, global REAL4 *accelerations)
{
    local REAL4 tile[GROUP];
    uint me = get_local_id(0);
    REAL4 mine = bodies[get_global_id(0)];
    REAL ax = 0, ay = 0, az = 0;
    for (uint start = 0; start < count; start += GROUP) {
        tile[me] = bodies[start + me];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < GROUP; i++) {
            REAL4 other = tile[i];
            REAL dx = other.x - mine.x, dy = other.y - mine.y, dz = other.z - mine.z;
            REAL inverse = INVERSE_ROOT(dx * dx + dy * dy + dz * dz + softening);
            REAL pull = other.w * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accelerations[get_global_id(0)] = (REAL4)(ax, ay, az, 0);
}
