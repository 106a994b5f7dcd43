//! Every PE takes its share of an integral; one sum over all gives pi.

fn main() -> Result<(), shmem::Error> {
    let world = shmem::init()?;
    let part = world.alloc::<f64>(1)?;
    let pi = world.alloc::<f64>(1)?;

    let steps = 1_000_000;
    let width = 1.0 / steps as f64;
    let mine = (world.me()..steps).step_by(world.n_pes());
    let area: f64 = mine.map(|i| (i as f64 + 0.5) * width).map(|x| 4.0 / (1.0 + x * x) * width).sum();
    part.local()[0].set(area);

    world.team().sum(&pi, &part);
    let pi = pi.local()[0].get();
    if world.me() == 0 {
        println!("pi is {pi:.9}");
    }
    Ok(())
}
