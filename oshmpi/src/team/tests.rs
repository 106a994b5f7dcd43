use super::*;

#[test]
fn a_destroyed_handle_is_not_found_again() {
    let teams = Teams::new();
    let members = Members { start: 0, stride: 1, size: 1 };
    let places = Places::new(vec![0], 1);
    assert!(teams.take(0).is_none() && teams.take(1).is_none());
    let mut old = Vec::new();
    for round in 1..=1000 {
        assert_eq!((teams.take(2), teams.take(2)), (Some(round - 1), None));
        let handle = teams.insert(members, &places, 0, 2, round, 0);
        assert!(teams.find(handle).is_some() && handle.0 > 2);
        assert!(old.iter().all(|&h| teams.find(h).is_none()));
        teams.remove(handle);
        assert!(teams.find(handle).is_none());
        old = vec![handle, TeamHandle(handle.0 + 1), TeamHandle(usize::MAX), TeamHandle(3)];
    }
    assert!(teams.handles().is_empty());
}
