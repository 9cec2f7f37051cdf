/* An OpenCL library that obeys no environment variable: one platform with one device, whose name is DEVICE. */
#include <stddef.h>
#include <string.h>

typedef struct thing *handle;

static int text(const char *value, size_t size, void *to, size_t *needed) {
  if (needed) *needed = strlen(value) + 1;
  if (to && size > strlen(value)) strcpy(to, value);
  return 0;
}

int clGetPlatformIDs(unsigned count, handle *list, unsigned *found) {
  if (found) *found = 1;
  if (list && count) list[0] = (handle)text;
  return 0;
}

int clGetPlatformInfo(handle platform, unsigned what, size_t size, void *to, size_t *needed) {
  return text("Deaf", size, to, needed);
}

int clGetDeviceIDs(handle platform, unsigned long type, unsigned count, handle *list, unsigned *found) {
  return clGetPlatformIDs(count, list, found);
}

int clGetDeviceInfo(handle device, unsigned what, size_t size, void *to, size_t *needed) {
  /* CL_DEVICE_TYPE: CL_DEVICE_TYPE_CPU */
  if (what == 0x1000) {
    if (needed) *needed = 8;
    if (to && size >= 8) memcpy(to, &(unsigned long){2}, 8);
    return 0;
  }
  return text(DEVICE, size, to, needed);
}

void *clGetExtensionFunctionAddress(const char *name) { return NULL; }

#define NOT_CALLED(name) \
  int name(void) { return -59; }
NOT_CALLED(clCreateContext)
NOT_CALLED(clReleaseContext)
NOT_CALLED(clCreateCommandQueue)
NOT_CALLED(clReleaseCommandQueue)
NOT_CALLED(clCreateBuffer)
NOT_CALLED(clCreateImage)
NOT_CALLED(clReleaseMemObject)
NOT_CALLED(clCreateProgramWithSource)
NOT_CALLED(clBuildProgram)
NOT_CALLED(clGetProgramInfo)
NOT_CALLED(clGetProgramBuildInfo)
NOT_CALLED(clReleaseProgram)
NOT_CALLED(clCreateKernel)
NOT_CALLED(clGetKernelInfo)
NOT_CALLED(clGetKernelArgInfo)
NOT_CALLED(clGetKernelWorkGroupInfo)
NOT_CALLED(clSetKernelArg)
NOT_CALLED(clReleaseKernel)
NOT_CALLED(clEnqueueNDRangeKernel)
NOT_CALLED(clEnqueueReadBuffer)
NOT_CALLED(clEnqueueWriteBuffer)
NOT_CALLED(clEnqueueCopyBuffer)
NOT_CALLED(clEnqueueFillBuffer)
NOT_CALLED(clEnqueueMapBuffer)
NOT_CALLED(clEnqueueReadImage)
NOT_CALLED(clEnqueueWriteImage)
NOT_CALLED(clEnqueueCopyImage)
NOT_CALLED(clEnqueueFillImage)
NOT_CALLED(clEnqueueMapImage)
NOT_CALLED(clEnqueueUnmapMemObject)
NOT_CALLED(clFlush)
NOT_CALLED(clFinish)
NOT_CALLED(clGetEventProfilingInfo)
NOT_CALLED(clReleaseEvent)
