//! The profiles that come with the product.

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../profiles/machines/", $name, ".yaml")))),*]
    };
}

/// Names and texts, in the order of the names.
const SHIPPED: &[(&str, &str)] = shipped!["server-16"];

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(name, _)| *name)
}

pub(super) fn text(name: &str) -> Option<&'static str> {
    SHIPPED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
