/* The kernels of this CPU, chosen once per process (pthread_once). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/kernels.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const ni_kernels *chosen;

/* __builtin_cpu_supports also checks that the operating system saves the wide registers. */
static void choose(void)
{
    chosen = &ni_kernels_scalar;
#if defined(__x86_64__)
    const char *asked = getenv("NEAP_ISA");
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        !(asked && !strcmp(asked, "scalar")))
        chosen = &ni_kernels_avx2;
#endif
}

const ni_kernels *ni_kernels_get(void)
{
    pthread_once(&once, choose);
    return chosen;
}

const char *neap_build_info(void)
{
    return ni_kernels_get()->about;
}
