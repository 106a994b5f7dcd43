/* pmi2.h: the PMI-2 process management interface. Link with -lpmi2. */
#ifndef PMI2_H_INCLUDED
#define PMI2_H_INCLUDED

#ifdef __cplusplus
extern "C" {
#endif

#define PMI2_MAX_KEYLEN 64
#define PMI2_MAX_VALLEN 1024
#define PMI2_MAX_ATTRVALUE 1024
#define PMI2_ID_NULL (-1)

/* Return codes. */
#define PMI2_SUCCESS 0
#define PMI2_FAIL (-1)
#define PMI2_ERR_INIT 1
#define PMI2_ERR_NOMEM 2
#define PMI2_ERR_INVALID_ARG 3
#define PMI2_ERR_INVALID_KEY 4
#define PMI2_ERR_INVALID_KEY_LENGTH 5
#define PMI2_ERR_INVALID_VAL 6
#define PMI2_ERR_INVALID_VAL_LENGTH 7
#define PMI2_ERR_INVALID_LENGTH 8
#define PMI2_ERR_INVALID_NUM_ARGS 9
#define PMI2_ERR_INVALID_ARGS 10
#define PMI2_ERR_INVALID_NUM_PARSED 11
#define PMI2_ERR_INVALID_KEYVALP 12
#define PMI2_ERR_INVALID_SIZE 13
#define PMI2_ERR_OTHER 14

typedef struct PMI2_Connect_comm {
    int (*read)(void *buf, int maxlen, void *ctx);
    int (*write)(const void *buf, int len, void *ctx);
    void *ctx;
    int isMaster;
} PMI2_Connect_comm_t;

struct MPID_Info;

/* The job and this process. */
int PMI2_Init(int *spawned, int *size, int *rank, int *appnum);
int PMI2_Finalize(void);
int PMI2_Initialized(void);
int PMI2_Abort(int flag, const char msg[]);
int PMI2_Job_GetId(char jobid[], int jobid_size);
int PMI2_Job_GetRank(int *rank);
int PMI2_Info_GetSize(int *size);

/* The key-value space: pairs that are put before a fence can be read after it. *vallen is the value's length; it is
 * negative if `value` holds only the beginning. KVS_Ifence begins a fence, KVS_Wait ends it. src_pmi_id is the rank
 * that puts the key, or PMI2_ID_NULL: its node is asked for a key that no fence has brought yet. */
int PMI2_KVS_Put(const char key[], const char value[]);
int PMI2_KVS_Fence(void);
int PMI2_KVS_Ifence(void);
int PMI2_KVS_Wait(void);
int PMI2_KVS_Get(const char *jobid, int src_pmi_id, const char key[], char value[], int maxvalue, int *vallen);

/* Attributes of this node and of the job. Integer arrays are decimal numbers separated by commas. */
int PMI2_Info_PutNodeAttr(const char name[], const char value[]);
int PMI2_Info_GetNodeAttr(const char name[], char value[], int valuelen, int *found, int waitfor);
int PMI2_Info_GetNodeAttrIntArray(const char name[], int array[], int arraylen, int *outlen, int *found);
int PMI2_Info_GetJobAttr(const char name[], char value[], int valuelen, int *found);
int PMI2_Info_GetJobAttrIntArray(const char name[], int array[], int arraylen, int *outlen, int *found);

/* Names of services. */
int PMI2_Nameserv_publish(const char service_name[], const struct MPID_Info *info_ptr, const char port[]);
int PMI2_Nameserv_lookup(const char service_name[], const struct MPID_Info *info_ptr, char port[], int portLen);
int PMI2_Nameserv_unpublish(const char service_name[], const struct MPID_Info *info_ptr);

/* Always fail: this library starts no further processes and connects no jobs. */
int PMI2_Job_Spawn(int count, const char *cmds[], int argcs[], const char **argvs[], const int maxprocs[],
                   const int info_keyval_sizes[], const struct MPID_Info *info_keyval_vectors[],
                   int preput_keyval_size, const struct MPID_Info *preput_keyval_vector[], char jobId[], int jobIdSize,
                   int errors[]);
int PMI2_Job_Connect(const char jobid[], PMI2_Connect_comm_t *conn);
int PMI2_Job_Disconnect(const char jobid[]);

/* Hints: DENSE keys are read by most processes and are sent with the fence. SPARSE keys are read by few processes, and
 * Get can read them without a fence: a key that ends in `@rank` lies on the node of that rank, others on one that is
 * chosen by their bytes. DIRECT keys lie on the node of the rank that puts them: nothing is sent, and only a Get that
 * names this rank (src_pmi_id) finds them from other nodes. */
#define PMIX_DENSE 0
#define PMIX_SPARSE 1
#define PMIX_DIRECT 2
int PMIX_KVS_Put(const char key[], const char value[], int hint);
/* Get that waits until the key has been put. PMI2_ERR_OTHER if the server does not support it. */
int PMIX_KVS_Get(const char key[], char value[], int maxvalue, int *vallen);
int PMIX_KVS_Get_from(int src_pmi_id, const char key[], char value[], int maxvalue, int *vallen);
/* Other names of PMI2_KVS_Ifence and PMI2_KVS_Wait. */
int PMIX_KVS_Ifence(void);
int PMIX_Wait(void);

#ifdef __cplusplus
}
#endif

#endif
