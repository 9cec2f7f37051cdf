/* An OpenCL 1.2 program as anybody would write it. Its argument chooses what it does; it prints "ok" and returns 0, or
 * says what went wrong. It never prints anything else. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(call) \
    do { \
        cl_int code_ = (call); \
        if (code_ != CL_SUCCESS) { \
            fprintf(stderr, "%s:%d: %d\n", #call, __LINE__, code_); \
            exit(1); \
        } \
    } while (0)

static cl_platform_id platform;
static cl_device_id device;

static void find(void)
{
    cl_uint count = 0;
    CHECK(clGetPlatformIDs(0, NULL, &count));
    cl_platform_id all[16];
    CHECK(clGetPlatformIDs(16, all, &count));
    for (cl_uint i = 0; i < count; i++) {
        char name[64];
        CHECK(clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name, name, NULL));
        if (strcmp(name, "Caldera") == 0) {
            platform = all[i];
            CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL));
            return;
        }
    }
    fprintf(stderr, "no platform Caldera among %u\n", count);
    exit(1);
}

static void copy(void)
{
    find();
    cl_int code;
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_context context = clCreateContext(properties, 1, &device, NULL, NULL, &code);
    CHECK(code);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    CHECK(code);
    int in[256], out[256];
    for (int i = 0; i < 256; i++)
        in[i] = i * i;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof in, NULL, &code);
    CHECK(code);
    CHECK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof in, in, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    if (memcmp(in, out, sizeof in) != 0) {
        fprintf(stderr, "wrong contents\n");
        exit(1);
    }
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
}

static const char *source =
    "kernel void add(global const float *a, global const float *b, global float *c)\n"
    "{ size_t i = get_global_id(0); c[i] = a[i] + b[i]; }\n";

static void add(int release)
{
    find();
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
    CHECK(code);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "add", &code);
    CHECK(code);
    enum { N = 1000 };
    float a[N], b[N], c[N];
    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = (float)(3 * i) + 0.5f;
    }
    cl_mem buffers[3];
    for (int i = 0; i < 3; i++) {
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof a, NULL, &code);
        CHECK(code);
        CHECK(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]));
    }
    CHECK(clEnqueueWriteBuffer(queue, buffers[0], CL_FALSE, 0, sizeof a, a, 0, NULL, NULL));
    CHECK(clEnqueueWriteBuffer(queue, buffers[1], CL_FALSE, 0, sizeof b, b, 0, NULL, NULL));
    size_t size = N;
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event));
    CHECK(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof c, c, 1, &event, NULL));
    for (int i = 0; i < N; i++) {
        if (c[i] != a[i] + b[i]) {
            fprintf(stderr, "element %d is %g\n", i, c[i]);
            exit(1);
        }
    }
    if (!release) {
        /* Leave with work in flight and nothing released. */
        for (int i = 0; i < 100; i++)
            CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
        CHECK(clFlush(queue));
        return;
    }
    CHECK(clReleaseEvent(event));
    for (int i = 0; i < 3; i++)
        CHECK(clReleaseMemObject(buffers[i]));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
}

/* A function of OpenCL 2.1 whose name the loader has: applications call it where cl_khr_subgroups is reported. */
typedef cl_int sub_group_info(cl_kernel, cl_device_id, cl_uint, size_t, const void *, size_t, void *, size_t *);
extern sub_group_info clGetKernelSubGroupInfo;

static void sub_groups(void)
{
    find();
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "add", &code);
    CHECK(code);
    sub_group_info *of_extension = (sub_group_info *)clGetExtensionFunctionAddressForPlatform(
        platform, "clGetKernelSubGroupInfoKHR");
    const size_t local[2] = {24, 2};
    size_t values[4] = {0, 0, 0, 0};
    const cl_uint max_size = 0x2033, number = 0x2034;
    cl_int codes[2] = {
        clGetKernelSubGroupInfo(kernel, device, max_size, sizeof local, local, sizeof(size_t), &values[0], NULL),
        of_extension(kernel, device, max_size, sizeof local, local, sizeof(size_t), &values[1], NULL),
    };
    char extensions[8192];
    CHECK(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    if (codes[0] == CL_SUCCESS) {
        CHECK(clGetKernelSubGroupInfo(kernel, device, number, sizeof local, local, sizeof(size_t), &values[2], NULL));
        CHECK(of_extension(kernel, device, number, sizeof local, local, sizeof(size_t), &values[3], NULL));
    } else if (codes[0] != CL_INVALID_OPERATION || strstr(extensions, "cl_khr_subgroups")) {
        CHECK(codes[0]);
    }
    if (codes[0] != codes[1] || values[0] != values[1] || values[2] != values[3] ||
        (codes[0] == CL_SUCCESS && values[0] * values[2] < 48)) {
        fprintf(stderr, "%d %d: sizes %zu %zu, numbers %zu %zu\n", codes[0], codes[1], values[0], values[1], values[2],
                values[3]);
        exit(1);
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseContext(context));
}

static void in_child(void (*work)(void))
{
    pid_t child = fork();
    if (child == 0) {
        work();
        exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) {
        fprintf(stderr, "child ended with %#x\n", status);
        exit(1);
    }
}

static void at_exit(void)
{
    copy();
}

/* The library was used before, and its driver may be gone by now: calls say so, releases are welcome. */
static cl_context kept;

static void at_exit_late(void)
{
    cl_int code = CL_SUCCESS;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (context != NULL || code != CL_OUT_OF_RESOURCES) {
        fprintf(stderr, "clCreateContext at the very end: %d\n", code);
        _exit(1);
    }
    CHECK(clReleaseContext(kept));
}

/* Every call of a child process that inherits the library in use says that it cannot, and none hangs or crashes. */
static void inherited(void)
{
    cl_int code = CL_SUCCESS;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_uint count = 0;
    char name[64];
    if (context != NULL || code != CL_OUT_OF_RESOURCES ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &count) != CL_OUT_OF_RESOURCES ||
        clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) != CL_OUT_OF_RESOURCES) {
        fprintf(stderr, "a forked child got %d\n", code);
        exit(1);
    }
}

/* The device of before the fork, in whichever process this is. */
static void use_device(void)
{
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    CHECK(code);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &code);
    CHECK(code);
    cl_uint seven = 7, last = 0;
    CHECK(clEnqueueFillBuffer(queue, buffer, &seven, sizeof seven, 0, 4096, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4092, sizeof last, &last, 0, NULL, NULL));
    if (last != seven) {
        fprintf(stderr, "read %u\n", last);
        exit(1);
    }
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
    add(1);
}

static void grandchild(void)
{
    in_child(use_device);
    use_device();
    in_child(inherited);
}

static void query(void)
{
    find();
    char text[4096];
    cl_device_fp_config precision;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL));
    /* The device is measured for this. */
    CHECK(clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof precision, &precision, NULL));
}

/* Queries alone leave nothing that a child could not use. */
static void fork_after_query(void)
{
    query();
    in_child(query);
    in_child(use_device);
    in_child(grandchild);
    query();
    use_device();
    in_child(inherited);
}

static volatile int stop;

static void *asks(void *arg)
{
    (void)arg;
    char text[256];
    while (!stop) {
        if (clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL) != CL_SUCCESS) {
            fprintf(stderr, "the parent's query failed\n");
            _exit(1);
        }
    }
    return NULL;
}

/* While other threads ask, a child either can use the device or is told that it cannot. */
static void child_of_asking_threads(void)
{
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (context == NULL && code == CL_OUT_OF_RESOURCES)
        return;
    CHECK(code);
    CHECK(clReleaseContext(context));
}

static void fork_while_threads_ask(void)
{
    find();
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, asks, NULL);
    for (int i = 0; i < 20; i++)
        in_child(child_of_asking_threads);
    stop = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    use_device();
}

/* A context with the first two devices. */
static cl_context both(cl_device_id devices[2])
{
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, NULL));
    cl_int code;
    cl_context context = clCreateContext(NULL, 2, devices, NULL, NULL, &code);
    CHECK(code);
    return context;
}

/* A kernel that adds its second argument to each number of its first. */
static cl_kernel adder(cl_context context, cl_program *program)
{
    const char *text = "kernel void next(global int *a, int n) { a[get_global_id(0)] += n; }";
    cl_int code;
    *program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(*program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(*program, "next", &code);
    CHECK(code);
    return kernel;
}

/* Two devices in one context: contents follow the queues that use them. */
static void two(void)
{
    enum { N = 1024, ROUNDS = 7 };
    find();
    cl_device_id devices[2];
    cl_int code;
    cl_context context = both(devices);
    cl_program program;
    cl_kernel kernel = adder(context, &program);
    cl_command_queue queues[2];
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueue(context, devices[i], i ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
        CHECK(code);
    }
    cl_mem_flags flags[] = {0, CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR};
    for (int kind = 0; kind < 3; kind++) {
        static int data[N], host[N], expected[N];
        for (int i = 0; i < N; i++)
            data[i] = expected[i] = i;
        cl_mem buffer =
            clCreateBuffer(context, flags[kind], sizeof data, flags[kind] == CL_MEM_USE_HOST_PTR ? host : NULL, &code);
        CHECK(code);
        cl_mem other = clCreateBuffer(context, 0, sizeof data, NULL, &code);
        CHECK(code);
        CHECK(clEnqueueWriteBuffer(queues[1], buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
        CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        size_t size = N;
        for (int round = 0; round < ROUNDS; round++) {
            cl_event a, b, c;
            cl_command_queue here = queues[round % 2], there = queues[1 - round % 2];
            CHECK(clSetKernelArg(kernel, 1, sizeof round, &round));
            CHECK(clEnqueueNDRangeKernel(here, kernel, 1, NULL, &size, NULL, 0, NULL, &a));
            CHECK(clEnqueueNDRangeKernel(there, kernel, 1, NULL, &size, NULL, 1, &a, &b));
            CHECK(clEnqueueMigrateMemObjects(here, 1, &buffer, 0, 1, &b, &c));
            int *mapped = clEnqueueMapBuffer(here, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, sizeof data, 1, &c,
                                             NULL, &code);
            CHECK(code);
            for (int i = 0; i < N; i++) {
                expected[i] += 2 * round;
                if (mapped[i] != expected[i]) {
                    fprintf(stderr, "kind %d round %d: %d is %d, not %d\n", kind, round, i, mapped[i], expected[i]);
                    exit(1);
                }
            }
            mapped[round]++;
            expected[round]++;
            /* What one queue has mapped the other may end. */
            cl_command_queue ends = round % 3 ? here : there;
            CHECK(clEnqueueUnmapMemObject(ends, buffer, mapped, 0, NULL, NULL));
            CHECK(clFinish(ends));
            CHECK(clEnqueueCopyBuffer(there, buffer, other, 0, 0, sizeof data, 0, NULL, NULL));
            CHECK(clFinish(there));
            CHECK(clEnqueueReadBuffer(here, other, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
            if (memcmp(data, expected, sizeof data) != 0) {
                fprintf(stderr, "kind %d round %d: the copy is wrong\n", kind, round);
                exit(1);
            }
            CHECK(clReleaseEvent(a));
            CHECK(clReleaseEvent(b));
            CHECK(clReleaseEvent(c));
        }
        CHECK(clReleaseMemObject(buffer));
        CHECK(clReleaseMemObject(other));
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseCommandQueue(queues[i]));
    CHECK(clReleaseContext(context));
}

/* Two devices in one context: buffers of many chunks move as a whole and in parts, whatever their sizes. */
static void many_chunks(void)
{
    static const size_t counts[] = {1, 1000, (2 << 20) - 1, (2 << 20) + 1, (17 << 20) + 77};
    find();
    cl_device_id devices[2];
    cl_int code;
    cl_context context = both(devices);
    cl_program program;
    cl_kernel kernel = adder(context, &program);
    cl_command_queue queues[2];
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueue(context, devices[i], 0, &code);
        CHECK(code);
    }
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        size_t n = counts[c], bytes = n * sizeof(int), first = n / 3, part = n / 2;
        int *data = malloc(bytes);
        for (size_t i = 0; i < n; i++)
            data[i] = (int)(i * 7 + c);
        cl_mem buffer = clCreateBuffer(context, 0, bytes, NULL, &code);
        CHECK(code);
        CHECK(clEnqueueWriteBuffer(queues[0], buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL));
        CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        for (cl_int round = 1; round <= 3; round++) {
            cl_command_queue there = queues[round % 2];
            CHECK(clSetKernelArg(kernel, 1, sizeof round, &round));
            CHECK(clEnqueueNDRangeKernel(there, kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
            CHECK(clFinish(there));
        }
        /* The other device has only this part, which it overwrites, before it needs all. */
        if (part > 0)
            CHECK(clEnqueueWriteBuffer(queues[0], buffer, CL_TRUE, first * 4, part * 4, data + first, 0, NULL, NULL));
        cl_int last = 10;
        CHECK(clSetKernelArg(kernel, 1, sizeof last, &last));
        CHECK(clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &n, NULL, 0, NULL, NULL));
        int *out = malloc(bytes);
        CHECK(clFinish(queues[0]));
        CHECK(clEnqueueReadBuffer(queues[1], buffer, CL_TRUE, 0, bytes, out, 0, NULL, NULL));
        for (size_t i = 0; i < n; i++) {
            int added = i >= first && i < first + part ? last : 1 + 2 + 3 + last;
            if (out[i] != data[i] + added) {
                fprintf(stderr, "%zu elements: %zu is %d, not %d\n", n, i, out[i], data[i] + added);
                exit(1);
            }
        }
        free(data);
        free(out);
        CHECK(clReleaseMemObject(buffer));
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseCommandQueue(queues[i]));
    CHECK(clReleaseContext(context));
}

/* Two devices in one context that read the same buffer, and write buffers that the other has read, take no turns: a short
   command of one completes while a long one of the other executes. With `events`, the commands have wait lists. */
static void side_by_side(int events)
{
    enum { N = 1024 };
    static const char *text = "kernel void work(global const int *a, global const int *b, global int *to, int n)"
                              "{ int i = get_global_id(0); int x = a[i] + b[i];"
                              "  for (int k = 0; k < n; k++) x = (x ^ k) * 5 + (x >> 3); to[i] = x; }";
    find();
    cl_device_id devices[2];
    cl_int code;
    cl_context context = both(devices);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "work", &code);
    CHECK(code);
    cl_command_queue queues[2];
    cl_mem buffers[2][2];
    int zero[N] = {0};
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueue(context, devices[i], 0, &code);
        CHECK(code);
        for (int set = 0; set < 2; set++) {
            buffers[set][i] = clCreateBuffer(context, 0, sizeof zero, NULL, &code);
            CHECK(code);
            CHECK(clEnqueueWriteBuffer(queues[i], buffers[set][i], CL_TRUE, 0, sizeof zero, zero, 0, NULL, NULL));
        }
    }
    size_t size = N;
    cl_event last[2] = {0}, now[2];
    for (int step = 0; step < 4; step++) {
        for (int i = 0; i < 2; i++) {
            /* The work of a step is long for the first device in the last step. */
            cl_int n = step == 3 && i == 0 ? 600000 : 10;
            CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[step % 2][0]));
            CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &buffers[step % 2][1]));
            CHECK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &buffers[1 - step % 2][i]));
            CHECK(clSetKernelArg(kernel, 3, sizeof n, &n));
            int waits = events && step > 0;
            CHECK(clEnqueueNDRangeKernel(queues[i], kernel, 1, NULL, &size, NULL, waits ? 2 : 0, waits ? last : NULL,
                                         &now[i]));
            CHECK(clFlush(queues[i]));
        }
        for (int i = 0; i < 2; i++) {
            if (last[i])
                CHECK(clReleaseEvent(last[i]));
            last[i] = now[i];
        }
        if (!events && step < 3)
            CHECK(clWaitForEvents(2, last));
    }
    CHECK(clWaitForEvents(1, &last[1]));
    cl_int status;
    CHECK(clGetEventInfo(last[0], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    if (status == CL_COMPLETE) {
        fprintf(stderr, "the short command has waited for the long one, events %d\n", events);
        exit(1);
    }
    CHECK(clWaitForEvents(1, &last[0]));
    for (int i = 0; i < 2; i++) {
        CHECK(clReleaseEvent(last[i]));
        CHECK(clReleaseCommandQueue(queues[i]));
        for (int set = 0; set < 2; set++)
            CHECK(clReleaseMemObject(buffers[set][i]));
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseContext(context));
}

static void same(const char *what, const int *a, const int *b, int n)
{
    for (int i = 0; i < n; i++) {
        if (a[i] != b[i]) {
            fprintf(stderr, "%s: %d is %d, not %d\n", what, i, a[i], b[i]);
            exit(1);
        }
    }
}

/* Two devices in one context: no enqueue call waits for what only this thread will let go on. */
static void gated(void)
{
    enum { N = 4096 };
    static int data[N], out[N], expected[N];
    alarm(60);
    find();
    cl_device_id devices[2];
    cl_int code;
    cl_context context = both(devices);
    cl_program program;
    cl_kernel kernel = adder(context, &program);
    size_t size = N, half = N / 2;
    cl_int one = 1;
    CHECK(clSetKernelArg(kernel, 1, sizeof one, &one));
    for (int kind = 0; kind < 4; kind++) {
        cl_command_queue queues[2];
        for (int i = 0; i < 2; i++) {
            int unordered = (kind >> i) & 1;
            queues[i] = clCreateCommandQueue(context, devices[i],
                                             unordered ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
            CHECK(code);
        }
        for (int i = 0; i < N; i++)
            data[i] = i;
        cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &code);
        CHECK(code);
        cl_mem other = clCreateBuffer(context, 0, sizeof data, NULL, &code);
        CHECK(code);

        /* The contents are on the first device, whose queue is held up by something else. */
        cl_event gate = clCreateUserEvent(context, &code), held, added, back;
        CHECK(code);
        CHECK(clEnqueueFillBuffer(queues[0], other, &one, sizeof one, 0, sizeof data, 1, &gate, &held));
        CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        CHECK(clEnqueueNDRangeKernel(queues[1], kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
        CHECK(clFinish(queues[1]));
        CHECK(clEnqueueReadBuffer(queues[1], buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            expected[i] = i + 1;
        same("beside what is held up", out, expected, N);

        /* To and fro, all of it behind what is held up. */
        CHECK(clSetKernelArg(kernel, 0, sizeof other, &other));
        CHECK(clEnqueueNDRangeKernel(queues[1], kernel, 1, NULL, &size, NULL, 1, &held, &added));
        CHECK(clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &size, NULL, 1, &added, &back));
        CHECK(clEnqueueReadBuffer(queues[1], other, CL_FALSE, 0, sizeof out, out, 1, &back, NULL));
        CHECK(clFlush(queues[1]));
        CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
        CHECK(clFinish(queues[1]));
        for (int i = 0; i < N; i++)
            expected[i] = 3;
        same("behind what is held up", out, expected, N);

        /* Each device has one half; the whole is where it is asked for. */
        cl_mem halves[2];
        cl_event done[2];
        for (int i = 0; i < 2; i++) {
            cl_buffer_region region = {i * half * sizeof(int), half * sizeof(int)};
            halves[i] = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
            CHECK(code);
        }
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 2; i++) {
                CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &halves[i]));
                for (int k = 0; k <= i; k++)
                    CHECK(clEnqueueNDRangeKernel(queues[i], kernel, 1, NULL, &half, NULL, 0, NULL, &done[i]));
                CHECK(clEnqueueBarrierWithWaitList(queues[i], 0, NULL, NULL));
                CHECK(clFinish(queues[i]));
            }
        }
        for (int i = 0; i < 2; i++) {
            CHECK(clEnqueueReadBuffer(queues[i], buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
            for (int k = 0; k < N; k++)
                expected[k] = k + 1 + (k < (int)half ? 3 : 6);
            same("halves", out, expected, N);
            CHECK(clReleaseMemObject(halves[i]));
        }

        /* A command that fails takes those of the other device with it. */
        cl_event bad = clCreateUserEvent(context, &code), first, second;
        CHECK(code);
        CHECK(clEnqueueFillBuffer(queues[0], buffer, &one, sizeof one, 0, sizeof data, 1, &bad, &first));
        CHECK(clEnqueueCopyBuffer(queues[1], buffer, other, 0, 0, sizeof data, 1, &first, &second));
        CHECK(clSetUserEventStatus(bad, -77));
        cl_int status;
        clWaitForEvents(1, &second);
        CHECK(clGetEventInfo(second, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        if (status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
            fprintf(stderr, "status %d\n", status);
            exit(1);
        }
        CHECK(clReleaseMemObject(buffer));
        CHECK(clReleaseMemObject(other));
        CHECK(clReleaseEvent(gate));
        CHECK(clReleaseEvent(bad));
        for (int i = 0; i < 2; i++)
            CHECK(clReleaseCommandQueue(queues[i]));
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseContext(context));
}

/* Images of a context with two devices. */
static void two_images(void)
{
    enum { W = 37, H = 21, N = W * H };
    static int data[N], expected[N], host[N];
    find();
    cl_device_id devices[2];
    cl_int code;
    cl_context context = both(devices);
    cl_command_queue queues[2];
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueue(context, devices[i], 0, &code);
        CHECK(code);
    }
    cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_image_desc desc = {CL_MEM_OBJECT_IMAGE2D, W, H, 1, 1, 0, 0, 0, 0, NULL};
    cl_mem_flags flags[] = {0, CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR};
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < N; i++)
            host[i] = data[i] = expected[i] = i + kind;
        cl_mem image = clCreateImage(context, flags[kind], &format, &desc, flags[kind] ? host : NULL, &code);
        CHECK(code);
        size_t origin[3] = {0, 0, 0}, region[3] = {W, H, 1}, box[3] = {5, 4, 1}, at[3] = {3, 2, 0};
        if (flags[kind] == 0)
            CHECK(clEnqueueWriteImage(queues[1], image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL));
        for (int round = 0; round < 4; round++) {
            cl_command_queue here = queues[round % 2], there = queues[1 - round % 2];
            size_t pitch;
            cl_event event, ended;
            int *mapped = clEnqueueMapImage(here, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, box, &pitch, NULL, 0,
                                            NULL, NULL, &code);
            CHECK(code);
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 5; x++) {
                    int *there = (int *)((char *)mapped + y * pitch) + x, i = (y + 2) * W + x + 3;
                    same("mapped", there, &expected[i], 1);
                    expected[i] = *there = round * 100 + i;
                }
            CHECK(clEnqueueUnmapMemObject(there, image, mapped, 0, NULL, &ended));
            memset(data, 0, sizeof data);
            CHECK(clEnqueueReadImage(here, image, CL_FALSE, origin, region, 0, 0, data, 1, &ended, &event));
            CHECK(clFlush(here));
            CHECK(clWaitForEvents(1, &event));
            same("read", data, expected, N);
            int color[4] = {round, round, round, round};
            size_t line[3] = {W, 1, 1}, row[3] = {0, 9 + round, 0};
            CHECK(clEnqueueFillImage(here, image, color, row, line, 0, NULL, NULL));
            CHECK(clFinish(here));
            for (int x = 0; x < W; x++)
                expected[(9 + round) * W + x] = round;
            CHECK(clReleaseEvent(event));
            CHECK(clReleaseEvent(ended));
        }
        CHECK(clEnqueueReadImage(queues[1], image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL));
        same("in the end", data, expected, N);
        CHECK(clReleaseMemObject(image));
    }
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseCommandQueue(queues[i]));
    CHECK(clReleaseContext(context));
}

/* A device that is lost takes its commands with it, and nothing more: CALDERA_DEBUG=lose-device=3. */
static void lose(void)
{
    find();
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    CHECK(code);
    int data[256] = {1, 2, 3};
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, &code);
    CHECK(code);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, &code);
    CHECK(code);
    cl_event events[8];
    for (int i = 0; i < 8; i++) {
        code = clEnqueueCopyBuffer(queue, a, b, 0, 0, sizeof data, 0, NULL, &events[i]);
        if (code != (i < 3 ? CL_SUCCESS : CL_OUT_OF_RESOURCES)) {
            fprintf(stderr, "copy %d: %d\n", i, code);
            exit(1);
        }
        clFlush(queue);
    }
    cl_int status = 0;
    CHECK(clGetEventInfo(events[2], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    if (status >= 0 || clWaitForEvents(1, &events[2]) != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ||
        clFinish(queue) != CL_OUT_OF_RESOURCES) {
        fprintf(stderr, "status %d\n", status);
        exit(1);
    }
    for (int i = 0; i < 3; i++)
        CHECK(clReleaseEvent(events[i]));
    /* It does not hang. */
    clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    clReleaseCommandQueue(queue);
    CHECK(clReleaseContext(context));
    /* What comes later works. */
    copy();
    add(1);
}

/* Temporary buffers of one size, some of them pinned, and temporary kernel objects, each released before its commands
 * are done. */
static void temporaries(void)
{
    enum { SIZE = 8 << 20, WORDS = SIZE / sizeof(float), ROUNDS = 4 };
    find();
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    CHECK(code);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    float *in = malloc(SIZE), *out = malloc(SIZE);
    for (int round = 0; round < 2 * ROUNDS; round++) {
        cl_mem_flags pinned = round % 2 ? CL_MEM_ALLOC_HOST_PTR : 0;
        cl_mem buffer = clCreateBuffer(context, pinned | CL_MEM_READ_WRITE, SIZE, NULL, &code);
        CHECK(code);
        cl_kernel kernel = clCreateKernel(program, "add", &code);
        CHECK(code);
        for (int i = 0; i < 3; i++)
            CHECK(clSetKernelArg(kernel, i, sizeof buffer, &buffer));
        for (int i = 0; i < WORDS; i++)
            in[i] = (float)(i % 4096 + round);
        size_t size = WORDS, group = 64;
        CHECK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, SIZE, in, 0, NULL, NULL));
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &group, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, SIZE, out, 0, NULL, NULL));
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseMemObject(buffer));
        CHECK(clFinish(queue));
        for (int i = 0; i < WORDS; i++) {
            if (out[i] != 2 * in[i]) {
                fprintf(stderr, "round %d: element %d is %g\n", round, i, out[i]);
                exit(1);
            }
        }
    }
    free(in);
    free(out);
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
}

/* Allocations that fail: CALDERA_DEBUG=no-memory-from=12. */
static void starve(void)
{
    find();
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    CHECK(code);
    int data[256] = {1, 2, 3}, other = 0;
    cl_mem first = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, &code);
    CHECK(code);
    CHECK(clEnqueueWriteBuffer(queue, first, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    cl_mem more[32];
    int made = 0;
    while (made < 32) {
        more[made] = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &code);
        if (code != CL_SUCCESS)
            break;
        made++;
    }
    if (made == 32 || code != CL_MEM_OBJECT_ALLOCATION_FAILURE) {
        fprintf(stderr, "%d buffers, then %d\n", made, code);
        exit(1);
    }
    /* What needs no memory still works. */
    CHECK(clEnqueueReadBuffer(queue, first, CL_TRUE, 4, sizeof other, &other, 0, NULL, NULL));
    if (other != 2) {
        fprintf(stderr, "read %d\n", other);
        exit(1);
    }
    while (made > 0)
        CHECK(clReleaseMemObject(more[--made]));
    CHECK(clReleaseMemObject(first));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
}

/* A global size of more than 2^32. All items but three return at once, so that this takes seconds on a CPU. */
static void wide(void)
{
    find();
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    CHECK(code);
    const char *text = "kernel void ends(global ulong *p) { size_t id = get_global_id(0);"
                       " if ((uint)(id + 1) > 1) return;"
                       " if (id == 0) p[0] = get_global_size(0);"
                       " if (id == 0xffffffffUL) p[1] = id;"
                       " if (id == 0x100000000UL) { p[2] = id; p[3] = get_group_id(0); p[4] = get_num_groups(0); } }";
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "ends", &code);
    CHECK(code);
    cl_ulong found[5] = {0};
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof found, found, &code);
    CHECK(code);
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t local = 128, size = ((size_t)1 << 32) + local;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &local, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    cl_ulong groups = size / local;
    cl_ulong expected[5] = {size, 0xffffffff, (cl_ulong)1 << 32, groups - 1, groups};
    for (int i = 0; i < 5; i++) {
        if (found[i] != expected[i]) {
            fprintf(stderr, "number %d is %llu\n", i, (unsigned long long)found[i]);
            exit(1);
        }
    }
}

static struct timespec interrupted;

static void last_handler(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = (double)(now.tv_sec - interrupted.tv_sec) + (double)(now.tv_nsec - interrupted.tv_nsec) * 1e-9;
    if (seconds > 1.5) {
        fprintf(stderr, "leaving took %g s\n", seconds);
        _exit(1);
    }
    puts("ok");
}

static void interrupt(int signal)
{
    (void)signal;
    clock_gettime(CLOCK_MONOTONIC, &interrupted);
    exit(0);
}

/* A signal whose handler leaves, in the middle of a wait for work that takes long. */
static void leave_by_signal(void)
{
    atexit(last_handler);
    find();
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    CHECK(code);
    const char *text = "kernel void spin(global uint *o, uint n) { uint a = 0; for (uint i = 0; i < n; i++)"
                       " for (int j = 0; j < 3000; j++) a += j * a + o[1]; o[0] = a; }";
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "spin", &code);
    CHECK(code);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &code);
    CHECK(code);
    CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t size = 65536;
    cl_uint steps = 0;
    /* Drivers may compile until the first launch is complete, and the exit waits longer for that. */
    CHECK(clSetKernelArg(kernel, 1, sizeof steps, &steps));
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    CHECK(clFinish(queue));
    steps = 1000;
    CHECK(clSetKernelArg(kernel, 1, sizeof steps, &steps));
    for (int i = 0; i < 40; i++) {
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
        CHECK(clFlush(queue));
    }
    signal(SIGALRM, interrupt);
    alarm(4);
    for (;;)
        CHECK(clFinish(queue));
}

/* Kernels whose work-group size is known, so that threads make their pipelines as soon as kernel objects exist. */
static const char *required_source =
    "#define STEP(k) s = sin(s) * exp(s) + pow(fabs(s), k) + atan2(s, k) + lgamma(s + k);\n"
    "#define K(name) kernel __attribute__((reqd_work_group_size(16, 1, 1))) void name(global float *p) {"
    " float s = p[get_global_id(0)]; for (int i = 0; i < p[1]; i++)"
    " { STEP(.1f) STEP(.2f) STEP(.3f) STEP(.4f) } p[get_global_id(0)] = s + 1; }\n"
    "K(a) K(b) K(c) K(d)\n";

static cl_context early_context;
static cl_program early_program;
static cl_kernel early_kernels[4];

static void start_pipelines(void)
{
    cl_int code;
    early_context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    early_program = clCreateProgramWithSource(early_context, 1, &required_source, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(early_program, 0, NULL, "", NULL, NULL));
    for (int i = 0; i < 4; i++) {
        char name[] = {(char)('a' + i), 0};
        early_kernels[i] = clCreateKernel(early_program, name, &code);
        CHECK(code);
    }
}

static void release_pipelines(void)
{
    for (int i = 0; i < 4; i++)
        CHECK(clReleaseKernel(early_kernels[i]));
    CHECK(clReleaseProgram(early_program));
    CHECK(clReleaseContext(early_context));
}

/* Everything is released while pipelines are under way, and launches wait for them. */
static void release_early(void)
{
    find();
    for (int round = 0; round < 4; round++) {
        start_pipelines();
        if (round % 2 != 0) {
            cl_int code;
            cl_command_queue queue = clCreateCommandQueue(early_context, device, 0, &code);
            CHECK(code);
            float values[64] = {0};
            cl_mem buffer = clCreateBuffer(early_context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &code);
            CHECK(code);
            size_t size = 64;
            CHECK(clSetKernelArg(early_kernels[3], 0, sizeof buffer, &buffer));
            CHECK(clEnqueueNDRangeKernel(queue, early_kernels[3], 1, NULL, &size, NULL, 0, NULL, NULL));
            CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
            if (values[7] != 1) {
                fprintf(stderr, "element 7 is %g\n", values[7]);
                exit(1);
            }
            CHECK(clReleaseMemObject(buffer));
            CHECK(clReleaseCommandQueue(queue));
        }
        release_pipelines();
    }
    start_pipelines();
    release_pipelines();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "find") == 0) {
        find();
    } else if (strcmp(what, "copy") == 0) {
        copy();
    } else if (strcmp(what, "add") == 0) {
        add(1);
    } else if (strcmp(what, "sub-groups") == 0) {
        sub_groups();
    } else if (strcmp(what, "leave") == 0) {
        add(0);
    } else if (strcmp(what, "fork") == 0) {
        in_child(copy);
        copy();
    } else if (strcmp(what, "fork-query") == 0) {
        fork_after_query();
    } else if (strcmp(what, "fork-threads") == 0) {
        fork_while_threads_ask();
    } else if (strcmp(what, "wide") == 0) {
        wide();
    } else if (strcmp(what, "signal") == 0) {
        leave_by_signal();
    } else if (strcmp(what, "exit") == 0) {
        find();
        atexit(at_exit);
    } else if (strcmp(what, "first-exit") == 0) {
        atexit(at_exit);
    } else if (strcmp(what, "last-exit") == 0) {
        atexit(at_exit_late);
        add(0);
        cl_int code;
        kept = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
        CHECK(code);
        atexit(at_exit);
    } else if (strcmp(what, "inherit") == 0) {
        add(0);
        in_child(inherited);
        copy();
    } else if (strcmp(what, "early-exit") == 0) {
        find();
        start_pipelines();
    } else if (strcmp(what, "early-fork") == 0) {
        find();
        start_pipelines();
        in_child(inherited);
        copy();
        release_pipelines();
    } else if (strcmp(what, "early-release") == 0) {
        release_early();
    } else if (strcmp(what, "two") == 0) {
        two();
        many_chunks();
        gated();
        two_images();
    } else if (strcmp(what, "side-by-side") == 0) {
        side_by_side(0);
        side_by_side(1);
    } else if (strcmp(what, "lose") == 0) {
        lose();
    } else if (strcmp(what, "temporaries") == 0) {
        temporaries();
    } else if (strcmp(what, "starve") == 0) {
        starve();
    } else if (strcmp(what, "none") == 0) {
        cl_uint count = 7;
        cl_int code = clGetPlatformIDs(0, NULL, &count);
        /* A loader answers for all its libraries; the library itself says that it has no platform. */
        if (!(code == -1001 || (code == CL_SUCCESS && count == 0)) || count != 0) {
            fprintf(stderr, "%d, %u platforms\n", code, count);
            exit(1);
        }
    } else {
        fprintf(stderr, "unknown test %s\n", what);
        return 1;
    }
    puts("ok");
    return 0;
}
