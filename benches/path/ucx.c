/* A stream of puts and a fetch-add by UCX's own calls, over the transports of UCX_TLS. The other process lets UCX make
 * progress. */
#include "path.h"
#include <ucp/api/ucp.h>

static ucp_worker_h worker;
static ucp_ep_h ep;
static ucp_rkey_h rkey;
static uint64_t there;
static char from[8];

static void wait_for(ucs_status_ptr_t request)
{
    if (request == NULL)
        return;
    if (UCS_PTR_IS_ERR(request))
        die("an operation");
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
        ucp_worker_progress(worker);
    ucp_request_free(request);
}

static void puts_nbi(int calls)
{
    const ucp_request_param_t none = {.op_attr_mask = UCP_OP_ATTR_FIELD_MEMORY_TYPE,
                                      .memory_type = UCS_MEMORY_TYPE_HOST};
    for (int i = 0; i < calls; i++) {
        ucs_status_ptr_t request = ucp_put_nbx(ep, from, 8, there + i % (ROOM / 8) * 8, rkey, &none);
        if (UCS_PTR_IS_ERR(request))
            die("ucp_put_nbx");
        if (request != NULL)
            ucp_request_free(request); /* the flush completes it */
    }
    wait_for(ucp_ep_flush_nbx(ep, &none));
}

static void adds(int calls)
{
    uint64_t one = 1, old;
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER | UCP_OP_ATTR_FIELD_MEMORY_TYPE,
        .datatype = ucp_dt_make_contig(8), .reply_buffer = &old, .memory_type = UCS_MEMORY_TYPE_HOST};
    for (int i = 0; i < calls; i++)
        wait_for(ucp_atomic_op_nbx(ep, UCP_ATOMIC_OP_ADD, &one, 1, there, rkey, &param));
}

int main(void)
{
    ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_RMA | UCP_FEATURE_AMO64};
    ucp_worker_params_t single = {.field_mask = 0};
    ucp_context_h context;
    ucp_mem_h memory;
    ucp_address_t *address;
    static char its_address[8192], its_key[1024], *room;
    void *key;
    size_t address_len, key_len;
    int me = two_processes();
    CHECK(posix_memalign((void **)&room, 4096, ROOM));
    memset(room, 0, ROOM);
    ucp_mem_map_params_t map = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
                                .address = room, .length = ROOM};
    CHECK(ucp_init(&params, NULL, &context) != UCS_OK);
    CHECK(ucp_worker_create(context, &single, &worker) != UCS_OK);
    CHECK(ucp_mem_map(context, &map, &memory) != UCS_OK);
    CHECK(ucp_rkey_pack(context, memory, &key, &key_len) != UCS_OK);
    CHECK(ucp_worker_get_address(worker, &address, &address_len) != UCS_OK);
    exchange(address, address_len, its_address, sizeof its_address);
    exchange(key, key_len, its_key, sizeof its_key);
    uint64_t here = (uint64_t)room;
    exchange(&here, sizeof here, &there, sizeof there);
    ucp_ep_params_t to = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS, .address = (ucp_address_t *)its_address};
    CHECK(ucp_ep_create(worker, &to, &ep) != UCS_OK);
    CHECK(ucp_ep_rkey_unpack(ep, its_key, &rkey) != UCS_OK);
    if (me == 0) {
        time_calls("put_nbi", PUTS, puts_nbi);
        time_calls("fetch_add", ADDS, adds);
        CHECK(write(peer, "", 1) != 1);
        CHECK(recv(peer, its_key, 1, 0) != 1); /* the other one looks at its memory */
        return 0;
    }
    for (unsigned i = 0; i % 1024 != 0 || !is_over(); i++)
        ucp_worker_progress(worker);
    int wrong = *(uint64_t *)room != ADDS * (BATCHES + 1);
    if (wrong)
        fprintf(stderr, "the word is %ld\n", *(long *)room);
    CHECK(write(peer, "", 1) != 1);
    return wrong;
}
