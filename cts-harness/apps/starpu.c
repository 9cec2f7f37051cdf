// StarPU with OpenCL workers: a vector is cut into blocks, and each block is the data of one task of a chain. Prints one
// line for each check, and the time for each task of a chain of empty kernels.
//
// cc starpu.c -o starpu $(pkg-config --cflags --libs starpu-1.3) -lOpenCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 1 << 20, BLOCKS = 16, STEPS = 8, EMPTY_TASKS = 2000 };

static const char *const SOURCE = "kernel void scale(global float *v, uint n, float by, float plus)\n"
                                  "{ uint i = get_global_id(0); if (i < n) v[i] = v[i] * by + plus; }\n"
                                  "kernel void nothing(global float *v) {}\n";

static struct starpu_opencl_program program;

static void check(cl_int error)
{
    if (error != CL_SUCCESS)
        STARPU_OPENCL_REPORT_ERROR(error);
}

// Launches a kernel on the block of the task. StarPU waits for it, because the codelets are asynchronous.
static void launch(void *buffers[], const char *name, const float *factors)
{
    int device = starpu_worker_get_devid(starpu_worker_get_id());
    cl_mem block = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
    cl_uint length = STARPU_VECTOR_GET_NX(buffers[0]);
    cl_kernel kernel;
    cl_command_queue queue;
    check(starpu_opencl_load_kernel(&kernel, &queue, &program, name, device));
    check(clSetKernelArg(kernel, 0, sizeof block, &block));
    if (factors) {
        check(clSetKernelArg(kernel, 1, sizeof length, &length));
        check(clSetKernelArg(kernel, 2, sizeof *factors, &factors[0]));
        check(clSetKernelArg(kernel, 3, sizeof *factors, &factors[1]));
    }
    size_t size = factors ? length : 1;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    check(starpu_opencl_release_kernel(kernel));
}

static void scale(void *buffers[], void *factors)
{
    launch(buffers, "scale", factors);
}

static void nothing(void *buffers[], void *unused)
{
    (void)unused;
    launch(buffers, "nothing", NULL);
}

static struct starpu_codelet scale_codelet = {
    .opencl_funcs = {scale}, .opencl_flags = {STARPU_OPENCL_ASYNC}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "scale"};
static struct starpu_codelet empty_codelet = {
    .opencl_funcs = {nothing}, .opencl_flags = {STARPU_OPENCL_ASYNC}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "nothing"};

static void submit(struct starpu_codelet *codelet, starpu_data_handle_t data, float *factors)
{
    struct starpu_task *task = starpu_task_create();
    task->cl = codelet;
    task->handles[0] = data;
    task->cl_arg = factors;
    task->cl_arg_size = factors ? 2 * sizeof *factors : 0;
    STARPU_CHECK_RETURN_VALUE(starpu_task_submit(task), "starpu_task_submit");
}

// Applies v = 2v + 1 to every block STEPS times, and returns the number of wrong elements.
static unsigned long chain(float *vector)
{
    static float factors[2] = {2, 1};
    starpu_data_handle_t data;
    starpu_vector_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)vector, LENGTH, sizeof *vector);
    struct starpu_data_filter filter = {.filter_func = starpu_vector_filter_block, .nchildren = BLOCKS};
    starpu_data_partition(data, &filter);
    for (int step = 0; step < STEPS; step++)
        for (int block = 0; block < BLOCKS; block++)
            submit(&scale_codelet, starpu_data_get_sub_data(data, 1, block), factors);
    starpu_task_wait_for_all();
    starpu_data_unpartition(data, STARPU_MAIN_RAM);
    starpu_data_unregister(data);
    unsigned long wrong = 0;
    for (unsigned long i = 0; i < LENGTH; i++)
        wrong += vector[i] != (float)(i % 1000) * (1 << STEPS) + ((1 << STEPS) - 1);
    return wrong;
}

// Returns the microseconds for each task of a chain of empty kernels.
static double empty_tasks(float *vector)
{
    starpu_data_handle_t data;
    starpu_vector_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)vector, 1024, sizeof *vector);
    double start = 0;
    for (int i = -100; i < EMPTY_TASKS; i++) {
        if (i == 0) {
            starpu_task_wait_for_all();
            start = starpu_timing_now();
        }
        submit(&empty_codelet, data, NULL);
    }
    starpu_task_wait_for_all();
    double time = (starpu_timing_now() - start) / EMPTY_TASKS;
    starpu_data_unregister(data);
    return time;
}

int main(void)
{
    if (starpu_init(NULL) != 0 || starpu_opencl_worker_get_count() == 0) {
        puts("FAIL workers\nStarPU has no OpenCL worker");
        return 1;
    }
    printf("PASS workers\n%u OpenCL workers\n", starpu_opencl_worker_get_count());
    STARPU_CHECK_RETURN_VALUE(starpu_opencl_load_opencl_from_string(SOURCE, &program, NULL), "the program");
    float *vector;
    STARPU_CHECK_RETURN_VALUE(starpu_malloc((void **)&vector, LENGTH * sizeof *vector), "starpu_malloc");
    for (unsigned long i = 0; i < LENGTH; i++)
        vector[i] = (float)(i % 1000);
    unsigned long wrong = chain(vector);
    printf("%s chain\n%lu of %d elements are wrong\n", wrong ? "FAIL" : "PASS", wrong, LENGTH);
    printf("%.1f microseconds for each empty task\n", empty_tasks(vector));
    starpu_free(vector);
    starpu_opencl_unload_opencl(&program);
    starpu_shutdown();
    return wrong != 0;
}
