/* Written by `cargo xtask gen` from spec/fortran-1.4.api, do not edit.
 *
 * liboshmpi_ilp64.a: stands before liboshmpi when a Fortran program is linked whose default INTEGER and LOGICAL have 8
 * bytes, and sends its calls to the routines for them. Weak, so that a profiling tool may stand before this. */
#include <stddef.h>
#include <stdint.h>

#define WEAK __attribute__((weak))

void oshmpi_ilp64_start_pes(void *npes);
WEAK void start_pes_(void *npes)
{
    oshmpi_ilp64_start_pes(npes);
}
WEAK void start_pes__(void *npes)
{
    oshmpi_ilp64_start_pes(npes);
}

void oshmpi_ilp64_shmem_init(void);
WEAK void shmem_init_(void)
{
    oshmpi_ilp64_shmem_init();
}
WEAK void shmem_init__(void)
{
    oshmpi_ilp64_shmem_init();
}

void oshmpi_ilp64_shmem_finalize(void);
WEAK void shmem_finalize_(void)
{
    oshmpi_ilp64_shmem_finalize();
}
WEAK void shmem_finalize__(void)
{
    oshmpi_ilp64_shmem_finalize();
}

void oshmpi_ilp64_shmem_global_exit(void *status);
WEAK void shmem_global_exit_(void *status)
{
    oshmpi_ilp64_shmem_global_exit(status);
}
WEAK void shmem_global_exit__(void *status)
{
    oshmpi_ilp64_shmem_global_exit(status);
}

int64_t oshmpi_ilp64_shmem_init_thread(void *requested, void *provided);
WEAK int64_t shmem_init_thread_(void *requested, void *provided)
{
    return oshmpi_ilp64_shmem_init_thread(requested, provided);
}
WEAK int64_t shmem_init_thread__(void *requested, void *provided)
{
    return oshmpi_ilp64_shmem_init_thread(requested, provided);
}

void oshmpi_ilp64_shmem_query_thread(void *provided);
WEAK void shmem_query_thread_(void *provided)
{
    oshmpi_ilp64_shmem_query_thread(provided);
}
WEAK void shmem_query_thread__(void *provided)
{
    oshmpi_ilp64_shmem_query_thread(provided);
}

int64_t oshmpi_ilp64_my_pe(void);
WEAK int64_t my_pe_(void)
{
    return oshmpi_ilp64_my_pe();
}
WEAK int64_t my_pe__(void)
{
    return oshmpi_ilp64_my_pe();
}

int64_t oshmpi_ilp64_num_pes(void);
WEAK int64_t num_pes_(void)
{
    return oshmpi_ilp64_num_pes();
}
WEAK int64_t num_pes__(void)
{
    return oshmpi_ilp64_num_pes();
}

int64_t oshmpi_ilp64_shmem_my_pe(void);
WEAK int64_t shmem_my_pe_(void)
{
    return oshmpi_ilp64_shmem_my_pe();
}
WEAK int64_t shmem_my_pe__(void)
{
    return oshmpi_ilp64_shmem_my_pe();
}

int64_t oshmpi_ilp64_shmem_n_pes(void);
WEAK int64_t shmem_n_pes_(void)
{
    return oshmpi_ilp64_shmem_n_pes();
}
WEAK int64_t shmem_n_pes__(void)
{
    return oshmpi_ilp64_shmem_n_pes();
}

int64_t oshmpi_ilp64_shmem_pe_accessible(void *pe);
WEAK int64_t shmem_pe_accessible_(void *pe)
{
    return oshmpi_ilp64_shmem_pe_accessible(pe);
}
WEAK int64_t shmem_pe_accessible__(void *pe)
{
    return oshmpi_ilp64_shmem_pe_accessible(pe);
}

int64_t oshmpi_ilp64_shmem_addr_accessible(void *addr, void *pe);
WEAK int64_t shmem_addr_accessible_(void *addr, void *pe)
{
    return oshmpi_ilp64_shmem_addr_accessible(addr, pe);
}
WEAK int64_t shmem_addr_accessible__(void *addr, void *pe)
{
    return oshmpi_ilp64_shmem_addr_accessible(addr, pe);
}

void *oshmpi_ilp64_shmem_ptr(void *dest, void *pe);
WEAK void *shmem_ptr_(void *dest, void *pe)
{
    return oshmpi_ilp64_shmem_ptr(dest, pe);
}
WEAK void *shmem_ptr__(void *dest, void *pe)
{
    return oshmpi_ilp64_shmem_ptr(dest, pe);
}

void oshmpi_ilp64_shmem_info_get_version(void *major, void *minor);
WEAK void shmem_info_get_version_(void *major, void *minor)
{
    oshmpi_ilp64_shmem_info_get_version(major, minor);
}
WEAK void shmem_info_get_version__(void *major, void *minor)
{
    oshmpi_ilp64_shmem_info_get_version(major, minor);
}

void oshmpi_ilp64_shmem_info_get_name(void *name, size_t len);
WEAK void shmem_info_get_name_(void *name, size_t len)
{
    oshmpi_ilp64_shmem_info_get_name(name, len);
}
WEAK void shmem_info_get_name__(void *name, size_t len)
{
    oshmpi_ilp64_shmem_info_get_name(name, len);
}

void oshmpi_ilp64_shpalloc(void *addr, void *length, void *errcode, void *abort);
WEAK void shpalloc_(void *addr, void *length, void *errcode, void *abort)
{
    oshmpi_ilp64_shpalloc(addr, length, errcode, abort);
}

void oshmpi_ilp64_shpdeallc(void *addr, void *errcode, void *abort);
WEAK void shpdeallc_(void *addr, void *errcode, void *abort)
{
    oshmpi_ilp64_shpdeallc(addr, errcode, abort);
}

void oshmpi_ilp64_shpclmove(void *addr, void *length, void *status, void *abort);
WEAK void shpclmove_(void *addr, void *length, void *status, void *abort)
{
    oshmpi_ilp64_shpclmove(addr, length, status, abort);
}

void oshmpi_ilp64_shmem_character_put(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_character_put_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_character_put(dest, source, nelems, pe);
}
WEAK void shmem_character_put__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_character_put(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_complex_put(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_complex_put_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_complex_put(dest, source, nelems, pe);
}
WEAK void shmem_complex_put__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_complex_put(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_double_put(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_double_put_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_double_put(dest, source, nelems, pe);
}
WEAK void shmem_double_put__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_double_put(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_integer_put(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_integer_put_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_integer_put(dest, source, nelems, pe);
}
WEAK void shmem_integer_put__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_integer_put(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_logical_put(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_logical_put_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_logical_put(dest, source, nelems, pe);
}
WEAK void shmem_logical_put__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_logical_put(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_real_put(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_real_put_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_real_put(dest, source, nelems, pe);
}
WEAK void shmem_real_put__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_real_put(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_put4(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put4_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put4(dest, source, nelems, pe);
}
WEAK void shmem_put4__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put4(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_put8(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put8_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put8(dest, source, nelems, pe);
}
WEAK void shmem_put8__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put8(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_put32(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put32_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put32(dest, source, nelems, pe);
}
WEAK void shmem_put32__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put32(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_put64(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put64_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put64(dest, source, nelems, pe);
}
WEAK void shmem_put64__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put64(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_put128(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put128_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put128(dest, source, nelems, pe);
}
WEAK void shmem_put128__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put128(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_putmem(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_putmem_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_putmem(dest, source, nelems, pe);
}
WEAK void shmem_putmem__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_putmem(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_put(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put(dest, source, nelems, pe);
}
WEAK void shmem_put__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_complex_iput(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_complex_iput_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_complex_iput(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_complex_iput__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_complex_iput(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_double_iput(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_double_iput_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_double_iput(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_double_iput__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_double_iput(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_integer_iput(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_integer_iput_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_integer_iput(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_integer_iput__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_integer_iput(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_logical_iput(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_logical_iput_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_logical_iput(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_logical_iput__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_logical_iput(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_real_iput(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_real_iput_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_real_iput(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_real_iput__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_real_iput(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_iput4(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iput4_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iput4(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_iput4__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iput4(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_iput8(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iput8_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iput8(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_iput8__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iput8(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_iput32(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iput32_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iput32(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_iput32__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iput32(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_iput64(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iput64_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iput64(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_iput64__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iput64(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_iput128(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iput128_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iput128(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_iput128__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iput128(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_character_get(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_character_get_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_character_get(dest, source, nelems, pe);
}
WEAK void shmem_character_get__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_character_get(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_complex_get(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_complex_get_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_complex_get(dest, source, nelems, pe);
}
WEAK void shmem_complex_get__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_complex_get(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_double_get(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_double_get_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_double_get(dest, source, nelems, pe);
}
WEAK void shmem_double_get__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_double_get(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_integer_get(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_integer_get_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_integer_get(dest, source, nelems, pe);
}
WEAK void shmem_integer_get__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_integer_get(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_logical_get(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_logical_get_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_logical_get(dest, source, nelems, pe);
}
WEAK void shmem_logical_get__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_logical_get(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_real_get(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_real_get_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_real_get(dest, source, nelems, pe);
}
WEAK void shmem_real_get__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_real_get(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_get4(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get4_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get4(dest, source, nelems, pe);
}
WEAK void shmem_get4__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get4(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_get8(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get8_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get8(dest, source, nelems, pe);
}
WEAK void shmem_get8__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get8(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_get32(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get32_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get32(dest, source, nelems, pe);
}
WEAK void shmem_get32__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get32(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_get64(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get64_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get64(dest, source, nelems, pe);
}
WEAK void shmem_get64__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get64(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_get128(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get128_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get128(dest, source, nelems, pe);
}
WEAK void shmem_get128__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get128(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_getmem(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_getmem_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_getmem(dest, source, nelems, pe);
}
WEAK void shmem_getmem__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_getmem(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_get(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get(dest, source, nelems, pe);
}
WEAK void shmem_get__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_complex_iget(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_complex_iget_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_complex_iget(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_complex_iget__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_complex_iget(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_double_iget(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_double_iget_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_double_iget(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_double_iget__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_double_iget(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_integer_iget(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_integer_iget_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_integer_iget(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_integer_iget__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_integer_iget(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_logical_iget(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_logical_iget_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_logical_iget(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_logical_iget__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_logical_iget(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_real_iget(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_real_iget_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_real_iget(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_real_iget__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_real_iget(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_iget4(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iget4_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iget4(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_iget4__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iget4(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_iget8(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iget8_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iget8(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_iget8__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iget8(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_iget32(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iget32_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iget32(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_iget32__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iget32(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_iget64(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iget64_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iget64(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_iget64__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iget64(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_iget128(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iget128_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iget128(dest, source, dst, sst, nelems, pe);
}
WEAK void shmem_iget128__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_iget128(dest, source, dst, sst, nelems, pe);
}

void oshmpi_ilp64_shmem_character_put_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_character_put_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_character_put_nbi(dest, source, nelems, pe);
}
WEAK void shmem_character_put_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_character_put_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_complex_put_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_complex_put_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_complex_put_nbi(dest, source, nelems, pe);
}
WEAK void shmem_complex_put_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_complex_put_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_double_put_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_double_put_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_double_put_nbi(dest, source, nelems, pe);
}
WEAK void shmem_double_put_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_double_put_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_integer_put_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_integer_put_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_integer_put_nbi(dest, source, nelems, pe);
}
WEAK void shmem_integer_put_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_integer_put_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_logical_put_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_logical_put_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_logical_put_nbi(dest, source, nelems, pe);
}
WEAK void shmem_logical_put_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_logical_put_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_real_put_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_real_put_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_real_put_nbi(dest, source, nelems, pe);
}
WEAK void shmem_real_put_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_real_put_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_put4_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put4_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put4_nbi(dest, source, nelems, pe);
}
WEAK void shmem_put4_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put4_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_put8_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put8_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put8_nbi(dest, source, nelems, pe);
}
WEAK void shmem_put8_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put8_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_put32_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put32_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put32_nbi(dest, source, nelems, pe);
}
WEAK void shmem_put32_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put32_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_put64_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put64_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put64_nbi(dest, source, nelems, pe);
}
WEAK void shmem_put64_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put64_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_put128_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put128_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put128_nbi(dest, source, nelems, pe);
}
WEAK void shmem_put128_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_put128_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_putmem_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_putmem_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_putmem_nbi(dest, source, nelems, pe);
}
WEAK void shmem_putmem_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_putmem_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_character_get_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_character_get_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_character_get_nbi(dest, source, nelems, pe);
}
WEAK void shmem_character_get_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_character_get_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_complex_get_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_complex_get_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_complex_get_nbi(dest, source, nelems, pe);
}
WEAK void shmem_complex_get_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_complex_get_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_double_get_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_double_get_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_double_get_nbi(dest, source, nelems, pe);
}
WEAK void shmem_double_get_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_double_get_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_integer_get_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_integer_get_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_integer_get_nbi(dest, source, nelems, pe);
}
WEAK void shmem_integer_get_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_integer_get_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_logical_get_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_logical_get_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_logical_get_nbi(dest, source, nelems, pe);
}
WEAK void shmem_logical_get_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_logical_get_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_real_get_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_real_get_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_real_get_nbi(dest, source, nelems, pe);
}
WEAK void shmem_real_get_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_real_get_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_get4_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get4_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get4_nbi(dest, source, nelems, pe);
}
WEAK void shmem_get4_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get4_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_get8_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get8_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get8_nbi(dest, source, nelems, pe);
}
WEAK void shmem_get8_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get8_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_get32_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get32_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get32_nbi(dest, source, nelems, pe);
}
WEAK void shmem_get32_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get32_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_get64_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get64_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get64_nbi(dest, source, nelems, pe);
}
WEAK void shmem_get64_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get64_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_get128_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get128_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get128_nbi(dest, source, nelems, pe);
}
WEAK void shmem_get128_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_get128_nbi(dest, source, nelems, pe);
}

void oshmpi_ilp64_shmem_getmem_nbi(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_getmem_nbi_(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_getmem_nbi(dest, source, nelems, pe);
}
WEAK void shmem_getmem_nbi__(void *dest, void *source, void *nelems, void *pe)
{
    oshmpi_ilp64_shmem_getmem_nbi(dest, source, nelems, pe);
}

int64_t oshmpi_ilp64_shmem_swap(void *dest, void *value, void *pe);
WEAK int64_t shmem_swap_(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_swap(dest, value, pe);
}
WEAK int64_t shmem_swap__(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_swap(dest, value, pe);
}

int32_t oshmpi_ilp64_shmem_int4_swap(void *dest, void *value, void *pe);
WEAK int32_t shmem_int4_swap_(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_int4_swap(dest, value, pe);
}
WEAK int32_t shmem_int4_swap__(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_int4_swap(dest, value, pe);
}

int64_t oshmpi_ilp64_shmem_int8_swap(void *dest, void *value, void *pe);
WEAK int64_t shmem_int8_swap_(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_int8_swap(dest, value, pe);
}
WEAK int64_t shmem_int8_swap__(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_int8_swap(dest, value, pe);
}

float oshmpi_ilp64_shmem_real4_swap(void *dest, void *value, void *pe);
WEAK float shmem_real4_swap_(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_real4_swap(dest, value, pe);
}
WEAK float shmem_real4_swap__(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_real4_swap(dest, value, pe);
}

double oshmpi_ilp64_shmem_real8_swap(void *dest, void *value, void *pe);
WEAK double shmem_real8_swap_(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_real8_swap(dest, value, pe);
}
WEAK double shmem_real8_swap__(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_real8_swap(dest, value, pe);
}

int32_t oshmpi_ilp64_shmem_int4_cswap(void *dest, void *cond, void *value, void *pe);
WEAK int32_t shmem_int4_cswap_(void *dest, void *cond, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_int4_cswap(dest, cond, value, pe);
}
WEAK int32_t shmem_int4_cswap__(void *dest, void *cond, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_int4_cswap(dest, cond, value, pe);
}

int64_t oshmpi_ilp64_shmem_int8_cswap(void *dest, void *cond, void *value, void *pe);
WEAK int64_t shmem_int8_cswap_(void *dest, void *cond, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_int8_cswap(dest, cond, value, pe);
}
WEAK int64_t shmem_int8_cswap__(void *dest, void *cond, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_int8_cswap(dest, cond, value, pe);
}

int32_t oshmpi_ilp64_shmem_int4_fetch(void *source, void *pe);
WEAK int32_t shmem_int4_fetch_(void *source, void *pe)
{
    return oshmpi_ilp64_shmem_int4_fetch(source, pe);
}
WEAK int32_t shmem_int4_fetch__(void *source, void *pe)
{
    return oshmpi_ilp64_shmem_int4_fetch(source, pe);
}

int64_t oshmpi_ilp64_shmem_int8_fetch(void *source, void *pe);
WEAK int64_t shmem_int8_fetch_(void *source, void *pe)
{
    return oshmpi_ilp64_shmem_int8_fetch(source, pe);
}
WEAK int64_t shmem_int8_fetch__(void *source, void *pe)
{
    return oshmpi_ilp64_shmem_int8_fetch(source, pe);
}

float oshmpi_ilp64_shmem_real4_fetch(void *source, void *pe);
WEAK float shmem_real4_fetch_(void *source, void *pe)
{
    return oshmpi_ilp64_shmem_real4_fetch(source, pe);
}
WEAK float shmem_real4_fetch__(void *source, void *pe)
{
    return oshmpi_ilp64_shmem_real4_fetch(source, pe);
}

double oshmpi_ilp64_shmem_real8_fetch(void *source, void *pe);
WEAK double shmem_real8_fetch_(void *source, void *pe)
{
    return oshmpi_ilp64_shmem_real8_fetch(source, pe);
}
WEAK double shmem_real8_fetch__(void *source, void *pe)
{
    return oshmpi_ilp64_shmem_real8_fetch(source, pe);
}

void oshmpi_ilp64_shmem_int4_set(void *dest, void *value, void *pe);
WEAK void shmem_int4_set_(void *dest, void *value, void *pe)
{
    oshmpi_ilp64_shmem_int4_set(dest, value, pe);
}
WEAK void shmem_int4_set__(void *dest, void *value, void *pe)
{
    oshmpi_ilp64_shmem_int4_set(dest, value, pe);
}

void oshmpi_ilp64_shmem_int8_set(void *dest, void *value, void *pe);
WEAK void shmem_int8_set_(void *dest, void *value, void *pe)
{
    oshmpi_ilp64_shmem_int8_set(dest, value, pe);
}
WEAK void shmem_int8_set__(void *dest, void *value, void *pe)
{
    oshmpi_ilp64_shmem_int8_set(dest, value, pe);
}

void oshmpi_ilp64_shmem_real4_set(void *dest, void *value, void *pe);
WEAK void shmem_real4_set_(void *dest, void *value, void *pe)
{
    oshmpi_ilp64_shmem_real4_set(dest, value, pe);
}
WEAK void shmem_real4_set__(void *dest, void *value, void *pe)
{
    oshmpi_ilp64_shmem_real4_set(dest, value, pe);
}

void oshmpi_ilp64_shmem_real8_set(void *dest, void *value, void *pe);
WEAK void shmem_real8_set_(void *dest, void *value, void *pe)
{
    oshmpi_ilp64_shmem_real8_set(dest, value, pe);
}
WEAK void shmem_real8_set__(void *dest, void *value, void *pe)
{
    oshmpi_ilp64_shmem_real8_set(dest, value, pe);
}

int32_t oshmpi_ilp64_shmem_int4_fadd(void *dest, void *value, void *pe);
WEAK int32_t shmem_int4_fadd_(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_int4_fadd(dest, value, pe);
}
WEAK int32_t shmem_int4_fadd__(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_int4_fadd(dest, value, pe);
}

int64_t oshmpi_ilp64_shmem_int8_fadd(void *dest, void *value, void *pe);
WEAK int64_t shmem_int8_fadd_(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_int8_fadd(dest, value, pe);
}
WEAK int64_t shmem_int8_fadd__(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_int8_fadd(dest, value, pe);
}

int32_t oshmpi_ilp64_shmem_int4_finc(void *dest, void *pe);
WEAK int32_t shmem_int4_finc_(void *dest, void *pe)
{
    return oshmpi_ilp64_shmem_int4_finc(dest, pe);
}
WEAK int32_t shmem_int4_finc__(void *dest, void *pe)
{
    return oshmpi_ilp64_shmem_int4_finc(dest, pe);
}

int64_t oshmpi_ilp64_shmem_int8_finc(void *dest, void *pe);
WEAK int64_t shmem_int8_finc_(void *dest, void *pe)
{
    return oshmpi_ilp64_shmem_int8_finc(dest, pe);
}
WEAK int64_t shmem_int8_finc__(void *dest, void *pe)
{
    return oshmpi_ilp64_shmem_int8_finc(dest, pe);
}

void oshmpi_ilp64_shmem_int4_add(void *dest, void *value, void *pe);
WEAK void shmem_int4_add_(void *dest, void *value, void *pe)
{
    oshmpi_ilp64_shmem_int4_add(dest, value, pe);
}
WEAK void shmem_int4_add__(void *dest, void *value, void *pe)
{
    oshmpi_ilp64_shmem_int4_add(dest, value, pe);
}

void oshmpi_ilp64_shmem_int8_add(void *dest, void *value, void *pe);
WEAK void shmem_int8_add_(void *dest, void *value, void *pe)
{
    oshmpi_ilp64_shmem_int8_add(dest, value, pe);
}
WEAK void shmem_int8_add__(void *dest, void *value, void *pe)
{
    oshmpi_ilp64_shmem_int8_add(dest, value, pe);
}

void oshmpi_ilp64_shmem_int4_inc(void *dest, void *pe);
WEAK void shmem_int4_inc_(void *dest, void *pe)
{
    oshmpi_ilp64_shmem_int4_inc(dest, pe);
}
WEAK void shmem_int4_inc__(void *dest, void *pe)
{
    oshmpi_ilp64_shmem_int4_inc(dest, pe);
}

void oshmpi_ilp64_shmem_int8_inc(void *dest, void *pe);
WEAK void shmem_int8_inc_(void *dest, void *pe)
{
    oshmpi_ilp64_shmem_int8_inc(dest, pe);
}
WEAK void shmem_int8_inc__(void *dest, void *pe)
{
    oshmpi_ilp64_shmem_int8_inc(dest, pe);
}

int64_t oshmpi_ilp64_shmem_cswap(void *dest, void *cond, void *value, void *pe);
WEAK int64_t shmem_cswap_(void *dest, void *cond, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_cswap(dest, cond, value, pe);
}
WEAK int64_t shmem_cswap__(void *dest, void *cond, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_cswap(dest, cond, value, pe);
}

int64_t oshmpi_ilp64_shmem_fadd(void *dest, void *value, void *pe);
WEAK int64_t shmem_fadd_(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_fadd(dest, value, pe);
}
WEAK int64_t shmem_fadd__(void *dest, void *value, void *pe)
{
    return oshmpi_ilp64_shmem_fadd(dest, value, pe);
}

int64_t oshmpi_ilp64_shmem_finc(void *dest, void *pe);
WEAK int64_t shmem_finc_(void *dest, void *pe)
{
    return oshmpi_ilp64_shmem_finc(dest, pe);
}
WEAK int64_t shmem_finc__(void *dest, void *pe)
{
    return oshmpi_ilp64_shmem_finc(dest, pe);
}

void oshmpi_ilp64_shmem_add(void *dest, void *value, void *pe);
WEAK void shmem_add_(void *dest, void *value, void *pe)
{
    oshmpi_ilp64_shmem_add(dest, value, pe);
}
WEAK void shmem_add__(void *dest, void *value, void *pe)
{
    oshmpi_ilp64_shmem_add(dest, value, pe);
}

void oshmpi_ilp64_shmem_inc(void *dest, void *pe);
WEAK void shmem_inc_(void *dest, void *pe)
{
    oshmpi_ilp64_shmem_inc(dest, pe);
}
WEAK void shmem_inc__(void *dest, void *pe)
{
    oshmpi_ilp64_shmem_inc(dest, pe);
}

void oshmpi_ilp64_shmem_wait(void *ivar, void *cmp_value);
WEAK void shmem_wait_(void *ivar, void *cmp_value)
{
    oshmpi_ilp64_shmem_wait(ivar, cmp_value);
}
WEAK void shmem_wait__(void *ivar, void *cmp_value)
{
    oshmpi_ilp64_shmem_wait(ivar, cmp_value);
}

void oshmpi_ilp64_shmem_wait_until(void *ivar, void *cmp, void *cmp_value);
WEAK void shmem_wait_until_(void *ivar, void *cmp, void *cmp_value)
{
    oshmpi_ilp64_shmem_wait_until(ivar, cmp, cmp_value);
}
WEAK void shmem_wait_until__(void *ivar, void *cmp, void *cmp_value)
{
    oshmpi_ilp64_shmem_wait_until(ivar, cmp, cmp_value);
}

void oshmpi_ilp64_shmem_int4_wait(void *ivar, void *cmp_value);
WEAK void shmem_int4_wait_(void *ivar, void *cmp_value)
{
    oshmpi_ilp64_shmem_int4_wait(ivar, cmp_value);
}
WEAK void shmem_int4_wait__(void *ivar, void *cmp_value)
{
    oshmpi_ilp64_shmem_int4_wait(ivar, cmp_value);
}

void oshmpi_ilp64_shmem_int8_wait(void *ivar, void *cmp_value);
WEAK void shmem_int8_wait_(void *ivar, void *cmp_value)
{
    oshmpi_ilp64_shmem_int8_wait(ivar, cmp_value);
}
WEAK void shmem_int8_wait__(void *ivar, void *cmp_value)
{
    oshmpi_ilp64_shmem_int8_wait(ivar, cmp_value);
}

void oshmpi_ilp64_shmem_int4_wait_until(void *ivar, void *cmp, void *cmp_value);
WEAK void shmem_int4_wait_until_(void *ivar, void *cmp, void *cmp_value)
{
    oshmpi_ilp64_shmem_int4_wait_until(ivar, cmp, cmp_value);
}
WEAK void shmem_int4_wait_until__(void *ivar, void *cmp, void *cmp_value)
{
    oshmpi_ilp64_shmem_int4_wait_until(ivar, cmp, cmp_value);
}

void oshmpi_ilp64_shmem_int8_wait_until(void *ivar, void *cmp, void *cmp_value);
WEAK void shmem_int8_wait_until_(void *ivar, void *cmp, void *cmp_value)
{
    oshmpi_ilp64_shmem_int8_wait_until(ivar, cmp, cmp_value);
}
WEAK void shmem_int8_wait_until__(void *ivar, void *cmp, void *cmp_value)
{
    oshmpi_ilp64_shmem_int8_wait_until(ivar, cmp, cmp_value);
}

void oshmpi_ilp64_shmem_barrier_all(void);
WEAK void shmem_barrier_all_(void)
{
    oshmpi_ilp64_shmem_barrier_all();
}
WEAK void shmem_barrier_all__(void)
{
    oshmpi_ilp64_shmem_barrier_all();
}

void oshmpi_ilp64_shmem_barrier(void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_barrier_(void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_barrier(pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_barrier__(void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_barrier(pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_sync_all(void);
WEAK void shmem_sync_all_(void)
{
    oshmpi_ilp64_shmem_sync_all();
}
WEAK void shmem_sync_all__(void)
{
    oshmpi_ilp64_shmem_sync_all();
}

void oshmpi_ilp64_shmem_sync(void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_sync_(void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_sync(pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_sync__(void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_sync(pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_broadcast4(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_broadcast4_(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_broadcast4(dest, source, nelems, pe_root, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_broadcast4__(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_broadcast4(dest, source, nelems, pe_root, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_broadcast8(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_broadcast8_(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_broadcast8(dest, source, nelems, pe_root, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_broadcast8__(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_broadcast8(dest, source, nelems, pe_root, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_broadcast32(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_broadcast32_(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_broadcast32(dest, source, nelems, pe_root, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_broadcast32__(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_broadcast32(dest, source, nelems, pe_root, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_broadcast64(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_broadcast64_(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_broadcast64(dest, source, nelems, pe_root, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_broadcast64__(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_broadcast64(dest, source, nelems, pe_root, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_collect4(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_collect4_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_collect4(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_collect4__(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_collect4(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_collect8(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_collect8_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_collect8(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_collect8__(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_collect8(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_collect32(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_collect32_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_collect32(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_collect32__(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_collect32(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_collect64(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_collect64_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_collect64(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_collect64__(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_collect64(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_fcollect4(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_fcollect4_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_fcollect4(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_fcollect4__(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_fcollect4(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_fcollect8(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_fcollect8_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_fcollect8(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_fcollect8__(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_fcollect8(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_fcollect32(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_fcollect32_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_fcollect32(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_fcollect32__(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_fcollect32(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_fcollect64(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_fcollect64_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_fcollect64(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_fcollect64__(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_fcollect64(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_alltoall32(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_alltoall32_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_alltoall32(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_alltoall32__(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_alltoall32(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_alltoall64(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_alltoall64_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_alltoall64(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_alltoall64__(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_alltoall64(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_alltoalls32(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_alltoalls32_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_alltoalls32(dest, source, dst, sst, nelems, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_alltoalls32__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_alltoalls32(dest, source, dst, sst, nelems, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_alltoalls64(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_alltoalls64_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_alltoalls64(dest, source, dst, sst, nelems, pe_start, log_stride, pe_size, psync);
}
WEAK void shmem_alltoalls64__(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    oshmpi_ilp64_shmem_alltoalls64(dest, source, dst, sst, nelems, pe_start, log_stride, pe_size, psync);
}

void oshmpi_ilp64_shmem_int4_and_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int4_and_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int4_and_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int4_and_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int4_and_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int8_and_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int8_and_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int8_and_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int8_and_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int8_and_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int4_or_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int4_or_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int4_or_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int4_or_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int4_or_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int8_or_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int8_or_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int8_or_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int8_or_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int8_or_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int4_xor_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int4_xor_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int4_xor_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int4_xor_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int4_xor_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int8_xor_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int8_xor_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int8_xor_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int8_xor_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int8_xor_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int4_max_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int4_max_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int4_max_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int4_max_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int4_max_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int8_max_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int8_max_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int8_max_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int8_max_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int8_max_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_real4_max_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real4_max_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real4_max_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_real4_max_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real4_max_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_real8_max_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real8_max_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real8_max_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_real8_max_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real8_max_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_real16_max_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real16_max_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real16_max_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_real16_max_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real16_max_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int4_min_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int4_min_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int4_min_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int4_min_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int4_min_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int8_min_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int8_min_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int8_min_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int8_min_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int8_min_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_real4_min_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real4_min_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real4_min_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_real4_min_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real4_min_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_real8_min_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real8_min_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real8_min_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_real8_min_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real8_min_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_real16_min_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real16_min_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real16_min_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_real16_min_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real16_min_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int4_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int4_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int4_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int4_sum_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int4_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int8_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int8_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int8_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int8_sum_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int8_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_real4_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real4_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real4_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_real4_sum_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real4_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_real8_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real8_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real8_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_real8_sum_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real8_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_real16_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real16_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real16_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_real16_sum_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real16_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_comp4_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_comp4_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_comp4_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_comp4_sum_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_comp4_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_comp8_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_comp8_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_comp8_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_comp8_sum_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_comp8_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int4_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int4_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int4_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int4_prod_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int4_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int8_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int8_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int8_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int8_prod_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int8_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_real4_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real4_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real4_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_real4_prod_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real4_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_real8_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real8_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real8_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_real8_prod_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real8_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_real16_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real16_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real16_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_real16_prod_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_real16_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_comp4_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_comp4_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_comp4_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_comp4_prod_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_comp4_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_comp8_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_comp8_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_comp8_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_comp8_prod_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_comp8_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int2_and_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int2_and_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int2_and_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int2_and_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int2_and_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int2_or_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int2_or_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int2_or_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int2_or_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int2_or_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int2_xor_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int2_xor_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int2_xor_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int2_xor_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int2_xor_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int2_max_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int2_max_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int2_max_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int2_max_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int2_max_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int2_min_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int2_min_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int2_min_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int2_min_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int2_min_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int2_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int2_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int2_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int2_sum_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int2_sum_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_int2_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int2_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int2_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}
WEAK void shmem_int2_prod_to_all__(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    oshmpi_ilp64_shmem_int2_prod_to_all(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void oshmpi_ilp64_shmem_fence(void);
WEAK void shmem_fence_(void)
{
    oshmpi_ilp64_shmem_fence();
}
WEAK void shmem_fence__(void)
{
    oshmpi_ilp64_shmem_fence();
}

void oshmpi_ilp64_shmem_quiet(void);
WEAK void shmem_quiet_(void)
{
    oshmpi_ilp64_shmem_quiet();
}
WEAK void shmem_quiet__(void)
{
    oshmpi_ilp64_shmem_quiet();
}

void oshmpi_ilp64_shmem_set_lock(void *lock);
WEAK void shmem_set_lock_(void *lock)
{
    oshmpi_ilp64_shmem_set_lock(lock);
}
WEAK void shmem_set_lock__(void *lock)
{
    oshmpi_ilp64_shmem_set_lock(lock);
}

int64_t oshmpi_ilp64_shmem_test_lock(void *lock);
WEAK int64_t shmem_test_lock_(void *lock)
{
    return oshmpi_ilp64_shmem_test_lock(lock);
}
WEAK int64_t shmem_test_lock__(void *lock)
{
    return oshmpi_ilp64_shmem_test_lock(lock);
}

void oshmpi_ilp64_shmem_clear_lock(void *lock);
WEAK void shmem_clear_lock_(void *lock)
{
    oshmpi_ilp64_shmem_clear_lock(lock);
}
WEAK void shmem_clear_lock__(void *lock)
{
    oshmpi_ilp64_shmem_clear_lock(lock);
}

void oshmpi_ilp64_shmem_clear_cache_inv(void);
WEAK void shmem_clear_cache_inv_(void)
{
    oshmpi_ilp64_shmem_clear_cache_inv();
}
WEAK void shmem_clear_cache_inv__(void)
{
    oshmpi_ilp64_shmem_clear_cache_inv();
}

void oshmpi_ilp64_shmem_set_cache_inv(void);
WEAK void shmem_set_cache_inv_(void)
{
    oshmpi_ilp64_shmem_set_cache_inv();
}
WEAK void shmem_set_cache_inv__(void)
{
    oshmpi_ilp64_shmem_set_cache_inv();
}

void oshmpi_ilp64_shmem_set_cache_line_inv(void *dest);
WEAK void shmem_set_cache_line_inv_(void *dest)
{
    oshmpi_ilp64_shmem_set_cache_line_inv(dest);
}
WEAK void shmem_set_cache_line_inv__(void *dest)
{
    oshmpi_ilp64_shmem_set_cache_line_inv(dest);
}

void oshmpi_ilp64_shmem_udcflush(void);
WEAK void shmem_udcflush_(void)
{
    oshmpi_ilp64_shmem_udcflush();
}
WEAK void shmem_udcflush__(void)
{
    oshmpi_ilp64_shmem_udcflush();
}

void oshmpi_ilp64_shmem_udcflush_line(void *dest);
WEAK void shmem_udcflush_line_(void *dest)
{
    oshmpi_ilp64_shmem_udcflush_line(dest);
}
WEAK void shmem_udcflush_line__(void *dest)
{
    oshmpi_ilp64_shmem_udcflush_line(dest);
}
