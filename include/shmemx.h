/* shmemx.h: what oshmpi offers beyond OpenSHMEM 1.6.
 *
 * Nothing so far. Names that come here begin with shmemx_ or SHMEMX_; the standard asks for this file even when it is
 * empty, so that programs can include it everywhere.
 */
#ifndef OSHMPI_SHMEMX_H
#define OSHMPI_SHMEMX_H

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif

#endif /* OSHMPI_SHMEMX_H */
