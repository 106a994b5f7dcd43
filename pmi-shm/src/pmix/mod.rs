//! PMIx, the process management interface of Open MPI and Slurm: the layout of its data, and its library, which is
//! loaded at run time. Neither the library nor its header is needed to build this crate.

pub mod data;
pub mod library;
