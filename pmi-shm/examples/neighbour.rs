//! Each process publishes a value and reads that of the next one, under any launcher that speaks PMI, or alone.

use pmi_shm::{Error, Job, Singleton, client};

fn main() -> Result<(), Error> {
    match client::from_env() {
        Some(job) => {
            let mut job = job?;
            greet(&mut *job)?;
            job.end();
            Ok(())
        }
        None => greet(&mut Singleton::default()),
    }
}

fn greet(job: &mut (impl Job + ?Sized)) -> Result<(), Error> {
    let (me, size) = (job.rank(), job.size());
    job.put("greeting", format!("hello from rank {me}").as_bytes())?;
    job.fence()?;
    let theirs = job.get((me + 1) % size, "greeting")?;
    println!("rank {me} of {size} ({}) reads: {}", job.served_by(), String::from_utf8_lossy(&theirs));
    Ok(())
}
