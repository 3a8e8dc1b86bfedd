//! The profiles that come with the product.

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../profiles/machines/", $name, ".yaml")))),*]
    };
}

/// Names and texts, in the order of the names.
const SHIPPED: &[(&str, &str)] = shipped![
    "altra-q80-30",
    "epyc-7763-2s",
    "epyc-7773x",
    "epyc-9754",
    "graviton1-16",
    "i7-12700k",
    "i7-13700kf",
    "i7-6700k",
    "i9-9900k",
    "kunpeng-920-6426",
    "lx2160a",
    "phytium-d2000",
    "ryzen-9-5900x",
    "ryzen-9-7950x",
    "server-16",
    "server-64",
    "skylake-client-4",
    "thunderx2-2s",
    "xeon-2s-2ghz",
    "xeon-2s-56-lcores",
    "xeon-e5-2680-v4-2s",
    "xeon-e5-4650-v2-4s",
    "xeon-gold-6336y-2s",
    "xeon-platinum-8358-2s",
    "xeon-platinum-8360y-2s",
    "zen-vm-far",
    "zen-vm-near"
];

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(name, _)| *name)
}

pub(super) fn text(name: &str) -> Option<&'static str> {
    SHIPPED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
