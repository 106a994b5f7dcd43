/* CUDA's driver for machines without a GPU. Memory of its devices is a file that is mapped twice: once without any
 * access, at the address that callers get, and once for copies.
 *
 * The program's own code plays the kernels of a GPU: when it touches such memory, the handler of the fault opens the
 * memory and closes the library's code. The next call of the library closes the memory again. So a touch by the library
 * ends the process, and so does one by other libraries, but for functions of the C library that the program calls.
 *
 * Copies are made by cuStreamSynchronize, so whoever forgets it finds old bytes.
 *
 * FAKE_CUDA: `none`: there is no device. `apart`: no device reaches the memory of another one. `strict`: the program's
 * touches end the process, too. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { OK, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_CONTEXT = 201, NO_PEER_ACCESS = 217 };
enum { DEVICES = 2, MOST = 64, PAGE = 4096, LONGEST = 15 /* bytes of an instruction, which may lie in two pages */ };
#define DEVICE_BYTES ((size_t)1 << 28)

typedef uint64_t address;
typedef struct {
    int pid, fd;
    size_t len;
    char unused[48];
} exported;

/* Memory of a device. Behind its bytes the file has a page, which counts the processes that have it open. */
static struct memory {
    unsigned char *seen, *real;
    size_t len;
    int fd; /* -1: of another process */
} all[MOST];

typedef struct {
    uintptr_t begin, end;
} range;
static range program, c_library, library;

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static atomic_flag switching = ATOMIC_FLAG_INIT;
static int is_open; /* for the program; the library's code is closed */

static int is(const char *how)
{
    const char *set = getenv("FAKE_CUDA");
    return set && !strcmp(set, how);
}

static void die(const char *why)
{
    fprintf(stderr, "fake CUDA: %s\n", why);
    abort();
}

static int inside(range r, uintptr_t at) { return at >= r.begin && at < r.end; }

/* Opens the memory and closes the library's code, or the other way round. */
static void set_open(int open)
{
    while (atomic_flag_test_and_set(&switching))
        ;
    const int bytes = open ? PROT_READ | PROT_WRITE : PROT_NONE, code = open ? PROT_READ : PROT_READ | PROT_EXEC;
    is_open = open;
    if (open)
        mprotect((void *)library.begin, library.end - library.begin, code);
    for (int i = 0; i < MOST; i++)
        if (all[i].seen)
            mprotect(all[i].seen, all[i].len, bytes);
    if (!open)
        mprotect((void *)library.begin, library.end - library.begin, code);
    atomic_flag_clear(&switching);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    const uintptr_t at = (uintptr_t)info->si_addr;
    const mcontext_t *cpu = &((ucontext_t *)context)->uc_mcontext;
#ifdef __x86_64__
    const uintptr_t code = (uintptr_t)cpu->gregs[REG_RIP];
    uintptr_t caller = 0;
    if (inside(c_library, code))
        caller = *(uintptr_t *)cpu->gregs[REG_RSP];
#else
    const uintptr_t code = cpu->pc, caller = cpu->regs[30];
#endif
    if (inside(library, code) && at - code < LONGEST) {
        set_open(0);
        return;
    }
    int ours = 0;
    for (int i = 0; i < MOST; i++)
        ours |= all[i].seen && at - (uintptr_t)all[i].seen < all[i].len;
    const int by_program = inside(program, code) || (inside(c_library, code) && inside(program, caller));
    if (ours && by_program && library.end && !is("strict"))
        set_open(1);
    else
        signal(number, SIG_DFL); /* the instruction faults again */
}

/* Notes where the code of an object lies. */
static int note(struct dl_phdr_info *object, size_t size, void *first)
{
    (void)size;
    range *to = *(int *)first ? &program : NULL;
    *(int *)first = 0;
    if (strstr(object->dlpi_name, "/liboshmpi.so"))
        to = &library;
    if (strstr(object->dlpi_name, "/libc.so"))
        to = &c_library;
    for (int i = 0; to && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
            to->begin = (object->dlpi_addr + part->p_vaddr) & -(uintptr_t)PAGE;
            to->end = (object->dlpi_addr + part->p_vaddr + part->p_memsz + PAGE - 1) & -(uintptr_t)PAGE;
        }
    }
    return 0;
}

static void begin(void)
{
    int first = 1;
    dl_iterate_phdr(note, &first);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
}

int cuInit(unsigned flags)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (flags)
        return INVALID_VALUE;
    if (is("none"))
        return NO_DEVICE;
    pthread_once(&once, begin);
    return OK;
}

int cuDeviceGetCount(int *count)
{
    *count = DEVICES;
    return OK;
}

int cuDeviceGet(int *device, int number)
{
    *device = number;
    return number < 0 || number >= DEVICES ? 101 : OK;
}

int cuGetErrorString(int error, const char **text)
{
    *text = error == OUT_OF_MEMORY    ? "out of memory"
            : error == NO_DEVICE      ? "no CUDA-capable device is detected"
            : error == NO_PEER_ACCESS ? "peer access is not supported between these two devices"
                                      : NULL;
    return *text ? OK : INVALID_VALUE;
}

/* The contexts of a thread. */
static __thread void *current[8];
static __thread unsigned depth;

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = (void *)((uintptr_t)device + 1);
    return OK;
}

int cuCtxPushCurrent_v2(void *context)
{
    if (depth == 8)
        die("contexts are not taken away again");
    current[depth++] = context;
    return OK;
}

int cuCtxPopCurrent_v2(void **context)
{
    if (!depth)
        return INVALID_CONTEXT;
    *context = current[--depth];
    return OK;
}

/* A stream belongs to a context. */
int cuStreamCreate(void **stream, unsigned flags)
{
    if (flags != 1)
        return INVALID_VALUE;
    *stream = depth ? current[depth - 1] : NULL;
    return depth ? OK : INVALID_CONTEXT;
}

/* Maps a file of device memory. */
static int add(int fd, int own, size_t len, address *at)
{
    pthread_mutex_lock(&table);
    int i = 0;
    while (i < MOST && all[i].seen)
        i++;
    if (i == MOST)
        die("too many allocations");
    struct memory *to = &all[i];
    to->len = len;
    to->fd = own ? fd : -1;
    to->real = mmap(NULL, len + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    const int access = is_open ? PROT_READ | PROT_WRITE : PROT_NONE;
    unsigned char *seen = mmap(NULL, len, access, MAP_SHARED, fd, 0);
    pthread_mutex_unlock(&table);
    if (to->real == MAP_FAILED || seen == MAP_FAILED)
        die("no address space");
    to->seen = seen;
    *at = (address)seen;
    return OK;
}

/* The memory that begins at an address. */
static struct memory *of(address at)
{
    for (int i = 0; i < MOST; i++)
        if (all[i].seen && (address)all[i].seen == at)
            return &all[i];
    die("no memory begins there");
    return NULL;
}

static atomic_int *users(const struct memory *m) { return (atomic_int *)(void *)(m->real + m->len); }

static void drop(struct memory *m)
{
    pthread_mutex_lock(&table);
    munmap(m->real, m->len + PAGE);
    munmap(m->seen, m->len);
    m->seen = NULL;
    pthread_mutex_unlock(&table);
}

int cuMemAlloc_v2(address *at, size_t len)
{
    if (!depth)
        return INVALID_CONTEXT;
    len = (len + PAGE - 1) & -(size_t)PAGE;
    if (len > DEVICE_BYTES)
        return OUT_OF_MEMORY;
    const int fd = memfd_create("device", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)(len + PAGE)))
        die("no file");
    return add(fd, 1, len, at);
}

int cuMemFree_v2(address at)
{
    struct memory *m = of(at);
    if (m->fd < 0 || *users(m))
        die("memory is freed that another process has open, or owns");
    close(m->fd);
    drop(m);
    return depth ? OK : INVALID_CONTEXT;
}

int cuIpcGetMemHandle(exported *handle, address at)
{
    const struct memory *m = of(at);
    memset(handle, 0, sizeof *handle);
    handle->pid = getpid(), handle->fd = m->fd, handle->len = m->len;
    return depth ? OK : INVALID_CONTEXT;
}

int cuIpcOpenMemHandle_v2(address *at, exported handle, unsigned flags)
{
    char path[64];
    if (!depth || handle.pid == getpid())
        return INVALID_CONTEXT;
    if (flags != 1 || is("apart"))
        return NO_PEER_ACCESS;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", handle.pid, handle.fd);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return INVALID_VALUE;
    add(fd, 0, handle.len, at);
    close(fd);
    ++*users(of(*at));
    return OK;
}

int cuIpcCloseMemHandle(address at)
{
    struct memory *m = of(at);
    --*users(m);
    drop(m);
    return depth ? OK : INVALID_CONTEXT;
}

/* What the thread's copies and fills do when their stream is synchronized. */
static __thread struct {
    unsigned char *to;
    const unsigned char *from; /* null: zeroes */
    size_t n;
} pending[8];
static __thread unsigned waiting;

/* Where a copy finds an address: in the second mapping, if it is a device's. */
static unsigned char *resolve(address at, size_t n)
{
    for (int i = 0; i < MOST; i++) {
        const size_t off = at - (address)all[i].seen;
        if (!all[i].seen || off >= all[i].len)
            continue;
        if (n > all[i].len - off)
            die("a copy runs past the end of its memory");
        return all[i].real + off;
    }
    return (unsigned char *)at;
}

static int later(address to, const unsigned char *from, size_t n, void *stream)
{
    if (!depth || stream != current[depth - 1])
        return INVALID_CONTEXT;
    if (waiting == 8)
        die("a stream is not synchronized");
    pending[waiting].to = resolve(to, n), pending[waiting].from = from, pending[waiting++].n = n;
    return OK;
}

int cuMemcpyAsync(address to, address from, size_t n, void *stream) { return later(to, resolve(from, n), n, stream); }

int cuMemsetD8Async(address to, unsigned char value, size_t n, void *stream)
{
    return value ? INVALID_VALUE : later(to, NULL, n, stream);
}

int cuStreamSynchronize(void *stream)
{
    if (!depth || stream != current[depth - 1])
        return INVALID_CONTEXT;
    for (unsigned i = 0; i < waiting; i++) {
        if (!pending[i].from)
            memset(pending[i].to, 0, pending[i].n);
        else if (pending[i].n == 8) /* words are copied whole */
            *(volatile uint64_t *)pending[i].to = *(const volatile uint64_t *)pending[i].from;
        else if (pending[i].n == 4)
            *(volatile uint32_t *)pending[i].to = *(const volatile uint32_t *)pending[i].from;
        else
            memmove(pending[i].to, pending[i].from, pending[i].n);
    }
    waiting = 0;
    return OK;
}
