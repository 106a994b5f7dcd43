/* All PEs have an adapter and a provider of libfabric for it, which is that for TCP under another name. So they take
 * libfabric. With an argument, the PE of that number cannot register memory, with a second one no more than a page: all
 * PEs take MPI. PE 0 says why in SHMEM_INFO. Needs the rights of root.
 * rules: 36 */
#define _GNU_SOURCE
#include "adapter.h"

#include <dlfcn.h>
#include <rdma/fi_domain.h>

static struct {
    void *(*symbol)(void *, const char *);
    __typeof__(&fi_getinfo) get_info;
    __typeof__(&fi_fabric) fabric;
    int (*domain)(struct fid_fabric *, struct fi_info *, struct fid_domain **, void *);
    __typeof__(((struct fi_ops_mr *)0)->reg) reg;
} next;

static char tcp[100];
static int refuses;
static size_t longest;

static int get_info(uint32_t version, const char *node, const char *service, uint64_t flags,
                    const struct fi_info *hints, struct fi_info **info)
{
    int status = next.get_info(version, node, service, flags, hints, info);
    for (struct fi_info *one = status == 0 ? *info : NULL; one; one = one->next) {
        snprintf(tcp, sizeof tcp, "%s", one->fabric_attr->prov_name);
        strcpy(one->fabric_attr->prov_name, "cxi");
    }
    return status;
}

static int refuse(struct fid *fid, const void *buf, size_t len, uint64_t access, uint64_t offset, uint64_t key,
                  uint64_t flags, struct fid_mr **mr, void *context)
{
    return len > longest ? -FI_ENOMEM : next.reg(fid, buf, len, access, offset, key, flags, mr, context);
}

static int domain(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **made, void *context)
{
    static struct fi_ops_mr ops;
    int status = next.domain(fabric, info, made, context);
    if (status == 0) {
        ops = *(*made)->mr;
        next.reg = ops.reg;
        ops.reg = refuse;
        (*made)->mr = &ops;
    }
    return status;
}

/* The provider gets its own name back. */
static int fabric(struct fi_fabric_attr *attr, struct fid_fabric **made, void *context)
{
    static struct fi_ops_fabric ops;
    free(attr->prov_name);
    attr->prov_name = strdup(tcp);
    int status = next.fabric(attr, made, context);
    if (status == 0 && refuses) {
        ops = *(*made)->ops;
        next.domain = ops.domain;
        ops.domain = domain;
        (*made)->ops = &ops;
    }
    return status;
}

/* The library finds this function instead of the loader's. The last call is a jump, so that the loader sees who has
 * called. */
__attribute__((optimize("O2"))) void *dlsym(void *restrict library, const char *restrict name)
{
    if (!next.symbol)
        next.symbol = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!next.symbol)
        next.symbol = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    if (strcmp(name, "fi_getinfo") == 0) {
        next.get_info = (__typeof__(next.get_info))next.symbol(library, name);
        return (void *)get_info;
    }
    if (strcmp(name, "fi_fabric") == 0) {
        next.fabric = (__typeof__(next.fabric))next.symbol(library, name);
        return (void *)fabric;
    }
    return next.symbol(library, name);
}

int main(int argc, char **argv)
{
    static long at;
    t_add_adapter("cxi/cxi0");
    refuses = argc > 1 && t_launched_as() == atoi(argv[1]);
    longest = argc > 2 ? (size_t)sysconf(_SC_PAGESIZE) : 0;
    t_init();
    shmem_long_p(&at, t_me + 1, (t_me + 1) % t_npes);
    shmem_barrier_all();
    CHECK_EQ(at, t_me == 0 ? t_npes : t_me);
    return t_done();
}
