// As many images and samplers as the full profile asks for (CL 4.2).
#define R(N) read_only image2d_t r##N,
#define W(N) write_only image2d_t w##N,
#define S(N) sampler_t s##N,
#define EIGHT(M, N) M(N##0) M(N##1) M(N##2) M(N##3) M(N##4) M(N##5) M(N##6) M(N##7)
#define RS EIGHT(R, 0) EIGHT(R, 1) EIGHT(R, 2) EIGHT(R, 3) EIGHT(R, 4) EIGHT(R, 5) EIGHT(R, 6) EIGHT(R, 7) \
    EIGHT(R, 10) EIGHT(R, 11) EIGHT(R, 12) EIGHT(R, 13) EIGHT(R, 14) EIGHT(R, 15) EIGHT(R, 16) EIGHT(R, 17)
#define GET(N) sum += read_imagef(r##N, s07, p);
#define VOL(N) sum += read_imagef(v, s##N, (float4)(p.x, p.y, 1, 0));
#define PUT(N) write_imagef(w##N, p, sum);
#define ALL(M) EIGHT(M, 0) EIGHT(M, 1) EIGHT(M, 2) EIGHT(M, 3) EIGHT(M, 4) EIGHT(M, 5) EIGHT(M, 6) EIGHT(M, 7) \
    EIGHT(M, 10) EIGHT(M, 11) EIGHT(M, 12) EIGHT(M, 13) EIGHT(M, 14) EIGHT(M, 15) EIGHT(M, 16) EIGHT(M, 17)
kernel void many(RS EIGHT(W, 0) EIGHT(S, 0) EIGHT(S, 1) read_only image3d_t v)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0;
    ALL(GET)
    EIGHT(VOL, 0) EIGHT(VOL, 1)
    EIGHT(PUT, 0)
}
