use harbour::berth::{Berth, assign};

#[test]
fn the_shortest_berth_is_assigned() {
    let mut berths = [Berth::new("long", 200), Berth::new("short", 80)];
    assert_eq!(assign(&mut berths, "Anna", 70).unwrap().name, "short");
}
