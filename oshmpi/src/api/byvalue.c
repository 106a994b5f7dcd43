/* What stable Rust cannot express: long double by value, its arithmetic, and a variadic function. The functions only
 * pass their arguments on to api/rma.rs. pshmem_x is strong and shmem_x is weak, as for every routine. */

struct oshmpi_ctx;
typedef struct oshmpi_ctx *ctx_t;

#define DEFAULT_CTX ((ctx_t)1)
#define WEAK(name, target) __attribute__((weak, alias(#target))) name

void oshmpi_longdouble_p(int on_ctx, ctx_t ctx, long double *dest, const long double *value, int pe);
void oshmpi_longdouble_g(int on_ctx, ctx_t ctx, long double *value, const long double *source, int pe);
void oshmpi_longdouble_combine(int op, long double *a, const long double *b);

void pshmem_longdouble_p(long double *dest, long double value, int pe)
{
    oshmpi_longdouble_p(0, DEFAULT_CTX, dest, &value, pe);
}

void pshmem_ctx_longdouble_p(ctx_t ctx, long double *dest, long double value, int pe)
{
    oshmpi_longdouble_p(1, ctx, dest, &value, pe);
}

long double pshmem_longdouble_g(const long double *source, int pe)
{
    long double value;
    oshmpi_longdouble_g(0, DEFAULT_CTX, &value, source, pe);
    return value;
}

long double pshmem_ctx_longdouble_g(ctx_t ctx, const long double *source, int pe)
{
    long double value;
    oshmpi_longdouble_g(1, ctx, &value, source, pe);
    return value;
}

/* A profiling tool replaces this function. Without a tool there is nothing to control. */
void pshmem_pcontrol(int level, ...)
{
    (void)level;
}

void WEAK(shmem_longdouble_p, pshmem_longdouble_p)(long double *, long double, int);
void WEAK(shmem_ctx_longdouble_p, pshmem_ctx_longdouble_p)(ctx_t, long double *, long double, int);
long double WEAK(shmem_longdouble_g, pshmem_longdouble_g)(const long double *, int);
long double WEAK(shmem_ctx_longdouble_g, pshmem_ctx_longdouble_g)(ctx_t, const long double *, int);
void WEAK(shmem_pcontrol, pshmem_pcontrol)(int, ...);

/* Fortran's REAL*16, a type of 128 bits. */
#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 real16_t;
#else
typedef long double real16_t; /* has 128 bits on these machines */
#endif
void oshmpi_real16_combine(int op, real16_t *a, const real16_t *b);

void oshmpi_real16_combine(int op, real16_t *a, const real16_t *b)
{
    switch (op) {
    case 0: *a += *b; break;
    case 1: *a *= *b; break;
    case 2: if (*b < *a) *a = *b; break;
    default: if (*b > *a) *a = *b; break;
    }
}

/* a = a op b. The codes of `op` are those of ops/coll/op.rs: sum, product, minimum, maximum. */
void oshmpi_longdouble_combine(int op, long double *a, const long double *b)
{
    switch (op) {
    case 0: *a += *b; break;
    case 1: *a *= *b; break;
    case 2: if (*b < *a) *a = *b; break;
    default: if (*b > *a) *a = *b; break;
    }
}
