/* A stream of puts and a fetch-add by libfabric's own calls, over the provider that is the argument. The other process
 * lets libfabric make progress. */
#include "path.h"
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

/* What the other process is told: its address, and where the memory is. */
struct place {
    char address[512];
    uint64_t at, key;
};

static struct fid_ep *ep;
static struct fid_cq *cq;
static struct fid_cntr *counter;
static struct place its;
static fi_addr_t to;
static uint64_t issued;
static char from[8];

static void progress(void)
{
    struct fi_cq_entry entry;
    if (fi_cq_read(cq, &entry, 1) == -FI_EAVAIL)
        die("an operation");
}

/* Until everything that was issued is complete at the target. */
static void quiet(void)
{
    while (fi_cntr_read(counter) < issued)
        progress();
}

static void again(ssize_t given)
{
    if (given != -FI_EAGAIN)
        die("an operation");
    progress();
}

static void puts_nbi(int calls)
{
    for (int i = 0; i < calls; i++, issued++)
        for (ssize_t given; (given = fi_inject_write(ep, from, 8, to, its.at + i % (ROOM / 8) * 8, its.key)) != 0;)
            again(given);
    quiet();
}

static void adds(int calls)
{
    static uint64_t one = 1, old;
    for (int i = 0; i < calls; i++) {
        for (ssize_t given; (given = fi_fetch_atomic(ep, &one, 1, NULL, &old, NULL, to, its.at, its.key, FI_UINT64,
                                                     FI_SUM, NULL)) != 0;)
            again(given);
        issued++;
        quiet();
    }
}

int main(int argc, char **argv)
{
    int me = two_processes();
    struct fi_info *hints = fi_allocinfo(), *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *av;
    struct fid_mr *mr;
    struct fi_av_attr av_attr = {.type = FI_AV_TABLE};
    struct fi_cq_attr cq_attr = {.format = FI_CQ_FORMAT_CONTEXT};
    struct fi_cntr_attr counter_attr = {.events = FI_CNTR_EVENTS_COMP};
    struct place mine = {.key = 0};
    static char *room;
    CHECK(argc != 2 || !hints || posix_memalign((void **)&room, 4096, ROOM));
    memset(room, 0, ROOM);
    hints->caps = FI_RMA | FI_ATOMIC | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    /* A call is complete when the data is at the target. */
    hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
    hints->fabric_attr->prov_name = strdup(argv[1]);
    CHECK(fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hints, &info));
    CHECK(fi_fabric(info->fabric_attr, &fabric, NULL));
    CHECK(fi_domain(fabric, info, &domain, NULL));
    CHECK(fi_endpoint(domain, info, &ep, NULL));
    CHECK(fi_av_open(domain, &av_attr, &av, NULL));
    CHECK(fi_cq_open(domain, &cq_attr, &cq, NULL));
    CHECK(fi_cntr_open(domain, &counter_attr, &counter, NULL));
    CHECK(fi_ep_bind(ep, &av->fid, 0));
    CHECK(fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION));
    CHECK(fi_ep_bind(ep, &counter->fid, FI_READ | FI_WRITE));
    CHECK(fi_enable(ep));
    CHECK(fi_mr_reg(domain, room, ROOM, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 0, 0, &mr, NULL));
    size_t len = sizeof mine.address;
    CHECK(fi_getname(&ep->fid, mine.address, &len));
    mine.key = fi_mr_key(mr);
    mine.at = info->domain_attr->mr_mode & FI_MR_VIRT_ADDR ? (uint64_t)room : 0;
    exchange(&mine, sizeof mine, &its, sizeof its);
    CHECK(fi_av_insert(av, its.address, 1, &to, 0, NULL) != 1);
    if (me == 0) {
        time_calls("put_nbi", PUTS, puts_nbi);
        time_calls("fetch_add", ADDS, adds);
        CHECK(write(peer, "", 1) != 1);
        CHECK(recv(peer, from, 1, 0) != 1); /* the other one looks at its memory */
        return 0;
    }
    for (unsigned i = 0; i % 1024 != 0 || !is_over(); i++)
        progress();
    int wrong = *(uint64_t *)room != ADDS * (BATCHES + 1);
    if (wrong)
        fprintf(stderr, "the word is %ld\n", *(long *)room);
    CHECK(write(peer, "", 1) != 1);
    return wrong;
}
