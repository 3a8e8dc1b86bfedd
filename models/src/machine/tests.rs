use super::*;

#[test]
fn every_shipped_profile_loads() {
    for name in Profile::shipped_names() {
        let profile = Profile::load(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(profile.name, name);
    }
}
