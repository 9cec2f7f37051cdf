/* An OpenCL program for the tests of `zoo`: three kinds of launches, and three ways to read their results. With FACTOR in its
   environment the results are other ones; CRASH ends it by a signal. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 4096
#define MUST(call) do { int code = (call); if (code) { printf("%s: %d\n", #call, code); exit(1); } } while (0)

static const char *source =
  "kernel void fill(global float *a) { a[get_global_id(0)] = 1.0f + get_global_id(0); }\n"
  "kernel void scale(global float *a, float f) { a[get_global_id(0)] *= f * SCALE; }\n";

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  int code;
  MUST(clGetPlatformIDs(1, &platform, NULL));
  MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
  MUST(clBuildProgram(program, 1, &device, "-D SCALE=1.0f", NULL, NULL));
  cl_kernel fill = clCreateKernel(program, "fill", &code), scale = clCreateKernel(program, "scale", &code);
  static float direct[N], later[N];
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof direct, NULL, &code);
  const char *text = getenv("FACTOR");
  float factor = text ? atof(text) : 2;
  MUST(clSetKernelArg(fill, 0, sizeof buffer, &buffer));
  MUST(clSetKernelArg(scale, 0, sizeof buffer, &buffer));
  MUST(clSetKernelArg(scale, 1, sizeof factor, &factor));
  size_t all = N, half = N / 2, group = 64;
  cl_event event;
  MUST(clEnqueueNDRangeKernel(queue, fill, 1, NULL, &all, &group, 0, NULL, NULL));
  for (int i = 0; i < 3; i++) MUST(clEnqueueNDRangeKernel(queue, scale, 1, NULL, &all, NULL, 0, NULL, NULL));
  MUST(clEnqueueNDRangeKernel(queue, scale, 1, NULL, &half, &group, 0, NULL, &event));
  MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof direct, direct, 0, NULL, NULL));
  MUST(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof later, later, 1, &event, NULL));
  MUST(clFinish(queue));
  float *mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, sizeof direct, 0, NULL, NULL, &code);
  MUST(code);
  if (memcmp(direct, later, sizeof direct) || memcmp(direct, mapped, sizeof direct)) return 2;
  if (direct[0] != factor * factor * factor * factor || direct[N - 1] != N * factor * factor * factor) return 3;
  cl_uint references;
  MUST(clGetKernelInfo(scale, CL_KERNEL_REFERENCE_COUNT, sizeof references, &references, NULL));
  if (references != 1) return 4;
  MUST(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
  MUST(clFinish(queue));
  if (getenv("CRASH")) abort();
  MUST(clReleaseEvent(event));
  MUST(clReleaseKernel(fill));
  MUST(clReleaseKernel(scale));
  MUST(clReleaseProgram(program));
  MUST(clReleaseMemObject(buffer));
  MUST(clReleaseCommandQueue(queue));
  MUST(clReleaseContext(context));
  puts("PASS");
  return 0;
}
