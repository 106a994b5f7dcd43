/* Written by `cargo xtask gen` from spec/fortran-1.4.api, do not edit.
 *
 * liboshmpi_real8.a: stands before liboshmpi when a Fortran program is linked whose REAL has 8 bytes and COMPLEX 16,
 * and sends its calls to the routines for that size, by their Fortran names: liboshmpi_ilp64.a may stand
 * between. Weak, so that a profiling tool may stand before this. */
#include <stddef.h>
#include <stdint.h>

#define WEAK __attribute__((weak))

void shmem_put128_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_complex_put_(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put128_(dest, source, nelems, pe);
}
WEAK void shmem_complex_put__(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put128_(dest, source, nelems, pe);
}

void shmem_put8_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_real_put_(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put8_(dest, source, nelems, pe);
}
WEAK void shmem_real_put__(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put8_(dest, source, nelems, pe);
}

void shmem_iput128_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_complex_iput_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iput128_(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_complex_iput__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iput128_(dest, source, dst, sst, nelems, pe);
}

void shmem_iput8_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_real_iput_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iput8_(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_real_iput__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iput8_(dest, source, dst, sst, nelems, pe);
}

void shmem_get128_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_complex_get_(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get128_(dest, source, nelems, pe);
}
WEAK void shmem_complex_get__(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get128_(dest, source, nelems, pe);
}

void shmem_get8_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_real_get_(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get8_(dest, source, nelems, pe);
}
WEAK void shmem_real_get__(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get8_(dest, source, nelems, pe);
}

void shmem_iget128_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_complex_iget_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iget128_(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_complex_iget__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iget128_(dest, source, dst, sst, nelems, pe);
}

void shmem_iget8_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_real_iget_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iget8_(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_real_iget__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iget8_(dest, source, dst, sst, nelems, pe);
}

void shmem_put128_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_complex_put_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put128_nbi_(dest, source, nelems, pe);
}
WEAK void shmem_complex_put_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put128_nbi_(dest, source, nelems, pe);
}

void shmem_put8_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_real_put_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put8_nbi_(dest, source, nelems, pe);
}
WEAK void shmem_real_put_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put8_nbi_(dest, source, nelems, pe);
}

void shmem_get128_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_complex_get_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get128_nbi_(dest, source, nelems, pe);
}
WEAK void shmem_complex_get_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get128_nbi_(dest, source, nelems, pe);
}

void shmem_get8_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_real_get_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get8_nbi_(dest, source, nelems, pe);
}
WEAK void shmem_real_get_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get8_nbi_(dest, source, nelems, pe);
}
