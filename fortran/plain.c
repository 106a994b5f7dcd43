/* Written by `cargo xtask gen` from spec/fortran-1.4.api, do not edit.
 *
 * liboshmpi_plain.a: stands before all other libraries of oshmpi when a Fortran program is linked that was compiled with
 * -fno-underscoring, and sends its calls to the routines for Fortran. Their names are those of the C routines, which
 * take their arguments by value: such a program can have no C parts that call OpenSHMEM, and cannot use the module. A
 * result of 4 bytes is passed on as it is in a register of 8. Weak, so that a profiling tool may stand before this. */
#include <stddef.h>
#include <stdint.h>

#define WEAK __attribute__((weak))

void start_pes_(void *npes);
WEAK void start_pes(void *npes)
{
    start_pes_(npes);
}

void shmem_init_(void);
WEAK void shmem_init(void)
{
    shmem_init_();
}

void shmem_finalize_(void);
WEAK void shmem_finalize(void)
{
    shmem_finalize_();
}

void shmem_global_exit_(void *status);
WEAK void shmem_global_exit(void *status)
{
    shmem_global_exit_(status);
}

int64_t shmem_init_thread_(void *requested, void *provided);
WEAK int64_t shmem_init_thread(void *requested, void *provided)
{
    return shmem_init_thread_(requested, provided);
}

void shmem_query_thread_(void *provided);
WEAK void shmem_query_thread(void *provided)
{
    shmem_query_thread_(provided);
}

int64_t my_pe_(void);
WEAK int64_t my_pe(void)
{
    return my_pe_();
}

int64_t num_pes_(void);
WEAK int64_t num_pes(void)
{
    return num_pes_();
}

int64_t shmem_my_pe_(void);
WEAK int64_t shmem_my_pe(void)
{
    return shmem_my_pe_();
}

int64_t shmem_n_pes_(void);
WEAK int64_t shmem_n_pes(void)
{
    return shmem_n_pes_();
}

int64_t shmem_pe_accessible_(void *pe);
WEAK int64_t shmem_pe_accessible(void *pe)
{
    return shmem_pe_accessible_(pe);
}

int64_t shmem_addr_accessible_(void *addr, void *pe);
WEAK int64_t shmem_addr_accessible(void *addr, void *pe)
{
    return shmem_addr_accessible_(addr, pe);
}

void *shmem_ptr_(void *dest, void *pe);
WEAK void *shmem_ptr(void *dest, void *pe)
{
    return shmem_ptr_(dest, pe);
}

void shmem_info_get_version_(void *major, void *minor);
WEAK void shmem_info_get_version(void *major, void *minor)
{
    shmem_info_get_version_(major, minor);
}

void shmem_info_get_name_(void *name, size_t len);
WEAK void shmem_info_get_name(void *name, size_t len)
{
    shmem_info_get_name_(name, len);
}

void shpalloc_(void *addr, void *length, void *errcode, void *abort);
WEAK void shpalloc(void *addr, void *length, void *errcode, void *abort)
{
    shpalloc_(addr, length, errcode, abort);
}

void shpdeallc_(void *addr, void *errcode, void *abort);
WEAK void shpdeallc(void *addr, void *errcode, void *abort)
{
    shpdeallc_(addr, errcode, abort);
}

void shpclmove_(void *addr, void *length, void *status, void *abort);
WEAK void shpclmove(void *addr, void *length, void *status, void *abort)
{
    shpclmove_(addr, length, status, abort);
}

void shmem_character_put_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_character_put(void *dest, void *source, void *nelems, void *pe)
{
    shmem_character_put_(dest, source, nelems, pe);
}

void shmem_complex_put_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_complex_put(void *dest, void *source, void *nelems, void *pe)
{
    shmem_complex_put_(dest, source, nelems, pe);
}

void shmem_double_put_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_double_put(void *dest, void *source, void *nelems, void *pe)
{
    shmem_double_put_(dest, source, nelems, pe);
}

void shmem_integer_put_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_integer_put(void *dest, void *source, void *nelems, void *pe)
{
    shmem_integer_put_(dest, source, nelems, pe);
}

void shmem_logical_put_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_logical_put(void *dest, void *source, void *nelems, void *pe)
{
    shmem_logical_put_(dest, source, nelems, pe);
}

void shmem_real_put_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_real_put(void *dest, void *source, void *nelems, void *pe)
{
    shmem_real_put_(dest, source, nelems, pe);
}

void shmem_put4_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put4(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put4_(dest, source, nelems, pe);
}

void shmem_put8_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put8(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put8_(dest, source, nelems, pe);
}

void shmem_put32_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put32(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put32_(dest, source, nelems, pe);
}

void shmem_put64_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put64(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put64_(dest, source, nelems, pe);
}

void shmem_put128_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put128(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put128_(dest, source, nelems, pe);
}

void shmem_putmem_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_putmem(void *dest, void *source, void *nelems, void *pe)
{
    shmem_putmem_(dest, source, nelems, pe);
}

void shmem_put_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put_(dest, source, nelems, pe);
}

void shmem_complex_iput_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_complex_iput(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_complex_iput_(dest, source, dst, sst, nelems, pe);
}

void shmem_double_iput_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_double_iput(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_double_iput_(dest, source, dst, sst, nelems, pe);
}

void shmem_integer_iput_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_integer_iput(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_integer_iput_(dest, source, dst, sst, nelems, pe);
}

void shmem_logical_iput_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_logical_iput(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_logical_iput_(dest, source, dst, sst, nelems, pe);
}

void shmem_real_iput_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_real_iput(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_real_iput_(dest, source, dst, sst, nelems, pe);
}

void shmem_iput4_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iput4(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iput4_(dest, source, dst, sst, nelems, pe);
}

void shmem_iput8_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iput8(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iput8_(dest, source, dst, sst, nelems, pe);
}

void shmem_iput32_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iput32(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iput32_(dest, source, dst, sst, nelems, pe);
}

void shmem_iput64_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iput64(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iput64_(dest, source, dst, sst, nelems, pe);
}

void shmem_iput128_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iput128(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iput128_(dest, source, dst, sst, nelems, pe);
}

void shmem_character_get_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_character_get(void *dest, void *source, void *nelems, void *pe)
{
    shmem_character_get_(dest, source, nelems, pe);
}

void shmem_complex_get_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_complex_get(void *dest, void *source, void *nelems, void *pe)
{
    shmem_complex_get_(dest, source, nelems, pe);
}

void shmem_double_get_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_double_get(void *dest, void *source, void *nelems, void *pe)
{
    shmem_double_get_(dest, source, nelems, pe);
}

void shmem_integer_get_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_integer_get(void *dest, void *source, void *nelems, void *pe)
{
    shmem_integer_get_(dest, source, nelems, pe);
}

void shmem_logical_get_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_logical_get(void *dest, void *source, void *nelems, void *pe)
{
    shmem_logical_get_(dest, source, nelems, pe);
}

void shmem_real_get_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_real_get(void *dest, void *source, void *nelems, void *pe)
{
    shmem_real_get_(dest, source, nelems, pe);
}

void shmem_get4_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get4(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get4_(dest, source, nelems, pe);
}

void shmem_get8_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get8(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get8_(dest, source, nelems, pe);
}

void shmem_get32_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get32(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get32_(dest, source, nelems, pe);
}

void shmem_get64_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get64(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get64_(dest, source, nelems, pe);
}

void shmem_get128_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get128(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get128_(dest, source, nelems, pe);
}

void shmem_getmem_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_getmem(void *dest, void *source, void *nelems, void *pe)
{
    shmem_getmem_(dest, source, nelems, pe);
}

void shmem_get_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get_(dest, source, nelems, pe);
}

void shmem_complex_iget_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_complex_iget(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_complex_iget_(dest, source, dst, sst, nelems, pe);
}

void shmem_double_iget_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_double_iget(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_double_iget_(dest, source, dst, sst, nelems, pe);
}

void shmem_integer_iget_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_integer_iget(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_integer_iget_(dest, source, dst, sst, nelems, pe);
}

void shmem_logical_iget_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_logical_iget(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_logical_iget_(dest, source, dst, sst, nelems, pe);
}

void shmem_real_iget_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_real_iget(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_real_iget_(dest, source, dst, sst, nelems, pe);
}

void shmem_iget4_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iget4(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iget4_(dest, source, dst, sst, nelems, pe);
}

void shmem_iget8_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iget8(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iget8_(dest, source, dst, sst, nelems, pe);
}

void shmem_iget32_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iget32(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iget32_(dest, source, dst, sst, nelems, pe);
}

void shmem_iget64_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iget64(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iget64_(dest, source, dst, sst, nelems, pe);
}

void shmem_iget128_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe);
WEAK void shmem_iget128(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe)
{
    shmem_iget128_(dest, source, dst, sst, nelems, pe);
}

void shmem_character_put_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_character_put_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_character_put_nbi_(dest, source, nelems, pe);
}

void shmem_complex_put_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_complex_put_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_complex_put_nbi_(dest, source, nelems, pe);
}

void shmem_double_put_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_double_put_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_double_put_nbi_(dest, source, nelems, pe);
}

void shmem_integer_put_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_integer_put_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_integer_put_nbi_(dest, source, nelems, pe);
}

void shmem_logical_put_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_logical_put_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_logical_put_nbi_(dest, source, nelems, pe);
}

void shmem_real_put_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_real_put_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_real_put_nbi_(dest, source, nelems, pe);
}

void shmem_put4_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put4_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put4_nbi_(dest, source, nelems, pe);
}

void shmem_put8_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put8_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put8_nbi_(dest, source, nelems, pe);
}

void shmem_put32_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put32_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put32_nbi_(dest, source, nelems, pe);
}

void shmem_put64_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put64_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put64_nbi_(dest, source, nelems, pe);
}

void shmem_put128_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_put128_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_put128_nbi_(dest, source, nelems, pe);
}

void shmem_putmem_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_putmem_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_putmem_nbi_(dest, source, nelems, pe);
}

void shmem_character_get_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_character_get_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_character_get_nbi_(dest, source, nelems, pe);
}

void shmem_complex_get_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_complex_get_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_complex_get_nbi_(dest, source, nelems, pe);
}

void shmem_double_get_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_double_get_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_double_get_nbi_(dest, source, nelems, pe);
}

void shmem_integer_get_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_integer_get_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_integer_get_nbi_(dest, source, nelems, pe);
}

void shmem_logical_get_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_logical_get_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_logical_get_nbi_(dest, source, nelems, pe);
}

void shmem_real_get_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_real_get_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_real_get_nbi_(dest, source, nelems, pe);
}

void shmem_get4_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get4_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get4_nbi_(dest, source, nelems, pe);
}

void shmem_get8_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get8_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get8_nbi_(dest, source, nelems, pe);
}

void shmem_get32_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get32_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get32_nbi_(dest, source, nelems, pe);
}

void shmem_get64_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get64_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get64_nbi_(dest, source, nelems, pe);
}

void shmem_get128_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_get128_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_get128_nbi_(dest, source, nelems, pe);
}

void shmem_getmem_nbi_(void *dest, void *source, void *nelems, void *pe);
WEAK void shmem_getmem_nbi(void *dest, void *source, void *nelems, void *pe)
{
    shmem_getmem_nbi_(dest, source, nelems, pe);
}

int64_t shmem_swap_(void *dest, void *value, void *pe);
WEAK int64_t shmem_swap(void *dest, void *value, void *pe)
{
    return shmem_swap_(dest, value, pe);
}

int32_t shmem_int4_swap_(void *dest, void *value, void *pe);
WEAK int32_t shmem_int4_swap(void *dest, void *value, void *pe)
{
    return shmem_int4_swap_(dest, value, pe);
}

int64_t shmem_int8_swap_(void *dest, void *value, void *pe);
WEAK int64_t shmem_int8_swap(void *dest, void *value, void *pe)
{
    return shmem_int8_swap_(dest, value, pe);
}

float shmem_real4_swap_(void *dest, void *value, void *pe);
WEAK float shmem_real4_swap(void *dest, void *value, void *pe)
{
    return shmem_real4_swap_(dest, value, pe);
}

double shmem_real8_swap_(void *dest, void *value, void *pe);
WEAK double shmem_real8_swap(void *dest, void *value, void *pe)
{
    return shmem_real8_swap_(dest, value, pe);
}

int32_t shmem_int4_cswap_(void *dest, void *cond, void *value, void *pe);
WEAK int32_t shmem_int4_cswap(void *dest, void *cond, void *value, void *pe)
{
    return shmem_int4_cswap_(dest, cond, value, pe);
}

int64_t shmem_int8_cswap_(void *dest, void *cond, void *value, void *pe);
WEAK int64_t shmem_int8_cswap(void *dest, void *cond, void *value, void *pe)
{
    return shmem_int8_cswap_(dest, cond, value, pe);
}

int32_t shmem_int4_fetch_(void *source, void *pe);
WEAK int32_t shmem_int4_fetch(void *source, void *pe)
{
    return shmem_int4_fetch_(source, pe);
}

int64_t shmem_int8_fetch_(void *source, void *pe);
WEAK int64_t shmem_int8_fetch(void *source, void *pe)
{
    return shmem_int8_fetch_(source, pe);
}

float shmem_real4_fetch_(void *source, void *pe);
WEAK float shmem_real4_fetch(void *source, void *pe)
{
    return shmem_real4_fetch_(source, pe);
}

double shmem_real8_fetch_(void *source, void *pe);
WEAK double shmem_real8_fetch(void *source, void *pe)
{
    return shmem_real8_fetch_(source, pe);
}

void shmem_int4_set_(void *dest, void *value, void *pe);
WEAK void shmem_int4_set(void *dest, void *value, void *pe)
{
    shmem_int4_set_(dest, value, pe);
}

void shmem_int8_set_(void *dest, void *value, void *pe);
WEAK void shmem_int8_set(void *dest, void *value, void *pe)
{
    shmem_int8_set_(dest, value, pe);
}

void shmem_real4_set_(void *dest, void *value, void *pe);
WEAK void shmem_real4_set(void *dest, void *value, void *pe)
{
    shmem_real4_set_(dest, value, pe);
}

void shmem_real8_set_(void *dest, void *value, void *pe);
WEAK void shmem_real8_set(void *dest, void *value, void *pe)
{
    shmem_real8_set_(dest, value, pe);
}

int32_t shmem_int4_fadd_(void *dest, void *value, void *pe);
WEAK int32_t shmem_int4_fadd(void *dest, void *value, void *pe)
{
    return shmem_int4_fadd_(dest, value, pe);
}

int64_t shmem_int8_fadd_(void *dest, void *value, void *pe);
WEAK int64_t shmem_int8_fadd(void *dest, void *value, void *pe)
{
    return shmem_int8_fadd_(dest, value, pe);
}

int32_t shmem_int4_finc_(void *dest, void *pe);
WEAK int32_t shmem_int4_finc(void *dest, void *pe)
{
    return shmem_int4_finc_(dest, pe);
}

int64_t shmem_int8_finc_(void *dest, void *pe);
WEAK int64_t shmem_int8_finc(void *dest, void *pe)
{
    return shmem_int8_finc_(dest, pe);
}

void shmem_int4_add_(void *dest, void *value, void *pe);
WEAK void shmem_int4_add(void *dest, void *value, void *pe)
{
    shmem_int4_add_(dest, value, pe);
}

void shmem_int8_add_(void *dest, void *value, void *pe);
WEAK void shmem_int8_add(void *dest, void *value, void *pe)
{
    shmem_int8_add_(dest, value, pe);
}

void shmem_int4_inc_(void *dest, void *pe);
WEAK void shmem_int4_inc(void *dest, void *pe)
{
    shmem_int4_inc_(dest, pe);
}

void shmem_int8_inc_(void *dest, void *pe);
WEAK void shmem_int8_inc(void *dest, void *pe)
{
    shmem_int8_inc_(dest, pe);
}

int64_t shmem_cswap_(void *dest, void *cond, void *value, void *pe);
WEAK int64_t shmem_cswap(void *dest, void *cond, void *value, void *pe)
{
    return shmem_cswap_(dest, cond, value, pe);
}

int64_t shmem_fadd_(void *dest, void *value, void *pe);
WEAK int64_t shmem_fadd(void *dest, void *value, void *pe)
{
    return shmem_fadd_(dest, value, pe);
}

int64_t shmem_finc_(void *dest, void *pe);
WEAK int64_t shmem_finc(void *dest, void *pe)
{
    return shmem_finc_(dest, pe);
}

void shmem_add_(void *dest, void *value, void *pe);
WEAK void shmem_add(void *dest, void *value, void *pe)
{
    shmem_add_(dest, value, pe);
}

void shmem_inc_(void *dest, void *pe);
WEAK void shmem_inc(void *dest, void *pe)
{
    shmem_inc_(dest, pe);
}

void shmem_wait_(void *ivar, void *cmp_value);
WEAK void shmem_wait(void *ivar, void *cmp_value)
{
    shmem_wait_(ivar, cmp_value);
}

void shmem_wait_until_(void *ivar, void *cmp, void *cmp_value);
WEAK void shmem_wait_until(void *ivar, void *cmp, void *cmp_value)
{
    shmem_wait_until_(ivar, cmp, cmp_value);
}

void shmem_int4_wait_(void *ivar, void *cmp_value);
WEAK void shmem_int4_wait(void *ivar, void *cmp_value)
{
    shmem_int4_wait_(ivar, cmp_value);
}

void shmem_int8_wait_(void *ivar, void *cmp_value);
WEAK void shmem_int8_wait(void *ivar, void *cmp_value)
{
    shmem_int8_wait_(ivar, cmp_value);
}

void shmem_int4_wait_until_(void *ivar, void *cmp, void *cmp_value);
WEAK void shmem_int4_wait_until(void *ivar, void *cmp, void *cmp_value)
{
    shmem_int4_wait_until_(ivar, cmp, cmp_value);
}

void shmem_int8_wait_until_(void *ivar, void *cmp, void *cmp_value);
WEAK void shmem_int8_wait_until(void *ivar, void *cmp, void *cmp_value)
{
    shmem_int8_wait_until_(ivar, cmp, cmp_value);
}

void shmem_barrier_all_(void);
WEAK void shmem_barrier_all(void)
{
    shmem_barrier_all_();
}

void shmem_barrier_(void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_barrier(void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_barrier_(pe_start, log_stride, pe_size, psync);
}

void shmem_sync_all_(void);
WEAK void shmem_sync_all(void)
{
    shmem_sync_all_();
}

void shmem_sync_(void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_sync(void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_sync_(pe_start, log_stride, pe_size, psync);
}

void shmem_broadcast4_(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_broadcast4(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_broadcast4_(dest, source, nelems, pe_root, pe_start, log_stride, pe_size, psync);
}

void shmem_broadcast8_(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_broadcast8(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_broadcast8_(dest, source, nelems, pe_root, pe_start, log_stride, pe_size, psync);
}

void shmem_broadcast32_(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_broadcast32(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_broadcast32_(dest, source, nelems, pe_root, pe_start, log_stride, pe_size, psync);
}

void shmem_broadcast64_(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_broadcast64(void *dest, void *source, void *nelems, void *pe_root, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_broadcast64_(dest, source, nelems, pe_root, pe_start, log_stride, pe_size, psync);
}

void shmem_collect4_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_collect4(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_collect4_(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void shmem_collect8_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_collect8(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_collect8_(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void shmem_collect32_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_collect32(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_collect32_(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void shmem_collect64_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_collect64(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_collect64_(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void shmem_fcollect4_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_fcollect4(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_fcollect4_(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void shmem_fcollect8_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_fcollect8(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_fcollect8_(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void shmem_fcollect32_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_fcollect32(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_fcollect32_(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void shmem_fcollect64_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_fcollect64(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_fcollect64_(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void shmem_alltoall32_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_alltoall32(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_alltoall32_(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void shmem_alltoall64_(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_alltoall64(void *dest, void *source, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_alltoall64_(dest, source, nelems, pe_start, log_stride, pe_size, psync);
}

void shmem_alltoalls32_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_alltoalls32(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_alltoalls32_(dest, source, dst, sst, nelems, pe_start, log_stride, pe_size, psync);
}

void shmem_alltoalls64_(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync);
WEAK void shmem_alltoalls64(void *dest, void *source, void *dst, void *sst, void *nelems, void *pe_start, void *log_stride, void *pe_size, void *psync)
{
    shmem_alltoalls64_(dest, source, dst, sst, nelems, pe_start, log_stride, pe_size, psync);
}

void shmem_int4_and_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int4_and_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int4_and_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int8_and_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int8_and_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int8_and_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int4_or_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int4_or_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int4_or_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int8_or_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int8_or_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int8_or_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int4_xor_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int4_xor_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int4_xor_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int8_xor_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int8_xor_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int8_xor_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int4_max_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int4_max_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int4_max_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int8_max_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int8_max_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int8_max_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_real4_max_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real4_max_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_real4_max_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_real8_max_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real8_max_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_real8_max_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_real16_max_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real16_max_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_real16_max_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int4_min_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int4_min_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int4_min_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int8_min_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int8_min_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int8_min_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_real4_min_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real4_min_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_real4_min_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_real8_min_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real8_min_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_real8_min_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_real16_min_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real16_min_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_real16_min_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int4_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int4_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int4_sum_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int8_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int8_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int8_sum_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_real4_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real4_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_real4_sum_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_real8_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real8_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_real8_sum_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_real16_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real16_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_real16_sum_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_comp4_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_comp4_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_comp4_sum_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_comp8_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_comp8_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_comp8_sum_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int4_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int4_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int4_prod_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int8_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int8_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int8_prod_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_real4_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real4_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_real4_prod_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_real8_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real8_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_real8_prod_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_real16_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_real16_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_real16_prod_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_comp4_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_comp4_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_comp4_prod_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_comp8_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_comp8_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_comp8_prod_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int2_and_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int2_and_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int2_and_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int2_or_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int2_or_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int2_or_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int2_xor_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int2_xor_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int2_xor_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int2_max_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int2_max_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int2_max_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int2_min_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int2_min_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int2_min_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int2_sum_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int2_sum_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int2_sum_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_int2_prod_to_all_(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync);
WEAK void shmem_int2_prod_to_all(void *dest, void *source, void *nreduce, void *pe_start, void *log_stride, void *pe_size, void *pwrk, void *psync)
{
    shmem_int2_prod_to_all_(dest, source, nreduce, pe_start, log_stride, pe_size, pwrk, psync);
}

void shmem_fence_(void);
WEAK void shmem_fence(void)
{
    shmem_fence_();
}

void shmem_quiet_(void);
WEAK void shmem_quiet(void)
{
    shmem_quiet_();
}

void shmem_set_lock_(void *lock);
WEAK void shmem_set_lock(void *lock)
{
    shmem_set_lock_(lock);
}

int64_t shmem_test_lock_(void *lock);
WEAK int64_t shmem_test_lock(void *lock)
{
    return shmem_test_lock_(lock);
}

void shmem_clear_lock_(void *lock);
WEAK void shmem_clear_lock(void *lock)
{
    shmem_clear_lock_(lock);
}

void shmem_clear_cache_inv_(void);
WEAK void shmem_clear_cache_inv(void)
{
    shmem_clear_cache_inv_();
}

void shmem_set_cache_inv_(void);
WEAK void shmem_set_cache_inv(void)
{
    shmem_set_cache_inv_();
}

void shmem_set_cache_line_inv_(void *dest);
WEAK void shmem_set_cache_line_inv(void *dest)
{
    shmem_set_cache_line_inv_(dest);
}

void shmem_udcflush_(void);
WEAK void shmem_udcflush(void)
{
    shmem_udcflush_();
}

void shmem_udcflush_line_(void *dest);
WEAK void shmem_udcflush_line(void *dest)
{
    shmem_udcflush_line_(dest);
}
