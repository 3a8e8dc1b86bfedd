//! Reading a profile: the document, what it extends, and the checks of every field.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_yaml::{Location, Spanned};

use crate::machine::error::{Complaint, Error, nearest};
use crate::machine::parameter::Parameter;
use crate::machine::schema::{COHERENCE, CORE, Entry, Kind, TRANSFER};
use crate::machine::topology::{CpuEntry, Distance, Regular, Topology};
use crate::machine::{Calibration, Profile, Section, shipped};

/// A chain of files that extend each other is at most so long; a longer one is a circle.
const EXTENDS_MAX: usize = 8;

/// The document as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Document {
    name: String,
    summary: String,
    #[serde(default)]
    sources: Vec<String>,
    #[serde(default)]
    extends: Option<Spanned<String>>,
    #[serde(default)]
    calibration: Option<Calibration>,
    #[serde(default)]
    topology: Option<Spanned<RawTopology>>,
    #[serde(default)]
    core: RawSection,
    #[serde(default)]
    kinds: BTreeMap<String, RawSection>,
    #[serde(default)]
    coherence: RawSection,
    #[serde(default)]
    transfer: RawSection,
}

/// Parameters by their keys, as they are written.
pub(crate) type RawSection = BTreeMap<String, Spanned<RawParameter>>;

/// A parameter as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RawParameter {
    value: Option<String>,
    range: Option<Vec<String>>,
    source: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct RawTopology {
    cpus: Option<Vec<CpuEntry>>,
    sockets: Option<u64>,
    llcs_per_socket: Option<u64>,
    clusters_per_llc: Option<u64>,
    cores_per_cluster: Option<u64>,
    threads_per_core: Option<u64>,
    numbering: Option<Vec<super::Level>>,
}

/// A profile under construction: everything may still be missing.
#[derive(Default)]
struct Parts {
    topology: Option<Topology>,
    core: Section,
    kinds: BTreeMap<String, Section>,
    coherence: Section,
    transfer: Section,
}

pub(super) fn load(name_or_path: &str, folder: &Path) -> Result<Profile, Error> {
    let (file, text, folder) = text_of(name_or_path, folder)?;
    complete(&file, &text, &folder)
}

pub(super) fn from_yaml(file: &str, text: &str) -> Result<Profile, Error> {
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    complete(file, text, folder)
}

/// The text of a shipped profile or of a file: what errors call it, the text, and where files beside it are.
fn text_of(name_or_path: &str, folder: &Path) -> Result<(String, String, PathBuf), Error> {
    let is_path = name_or_path.contains('/') || name_or_path.ends_with(".yaml") || name_or_path.ends_with(".yml");
    if is_path {
        let path = folder.join(name_or_path);
        let file = path.display().to_string();
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Error::Unreadable { file: file.clone(), why: error.to_string() })?;
        return Ok((file, text, path.parent().unwrap_or(Path::new("")).to_owned()));
    }
    match shipped::text(name_or_path) {
        Some(text) => Ok((format!("{name_or_path}.yaml"), text.to_owned(), folder.to_owned())),
        None => {
            let help = match nearest(name_or_path, shipped::names()) {
                Some(near) => format!("did you mean `{near}`? A file's name ends in .yaml"),
                None => format!(
                    "there are {}; a file's name ends in .yaml",
                    shipped::names().collect::<Vec<_>>().join(", ")
                ),
            };
            Err(Error::UnknownProfile { name: name_or_path.to_owned(), help })
        }
    }
}

fn complete(file: &str, text: &str, folder: &Path) -> Result<Profile, Error> {
    let document = parse(file, text)?;
    let mut parts = Parts::default();
    let (name, summary) = (document.name.clone(), document.summary.clone());
    let (sources, calibration) = (document.sources.clone(), document.calibration.clone());
    add(&mut parts, file, document, folder, 0)?;
    let topology = parts.topology.ok_or_else(|| missing("topology").at(file, None))?;
    let Parts { core, kinds, coherence, transfer, .. } = parts;
    let profile = Profile { name, summary, sources, calibration, topology, core, kinds, coherence, transfer };
    // A profile that loads can be simulated.
    match profile.to_model() {
        Ok(_) => Ok(profile),
        Err(Error::Invalid(complaint)) if complaint.file.is_empty() => Err(complaint.at(file, None).into()),
        Err(error) => Err(error),
    }
}

fn missing(path: &str) -> Complaint {
    Complaint::new("is missing", "give it, or extend a profile that has it").about(path)
}

fn parse(file: &str, text: &str) -> Result<Document, Error> {
    serde_yaml::from_str(text).map_err(|error| syntax(file, &error).into())
}

/// What the parser complains about.
pub(crate) fn syntax(file: &str, error: &serde_yaml::Error) -> Complaint {
    let place = error.location().as_ref().map(line_and_column);
    let message = error.without_snippet().to_string();
    // The place stands before the message, as with all complaints.
    let message = message.rfind(" at line ").map_or(message.as_str(), |end| &message[..end]);
    Complaint::new(message, "").at(file, place)
}

fn line_and_column(location: &Location) -> (u64, u64) {
    (location.line(), location.column())
}

/// Adds to `parts` what the document extends, and over it what it says itself.
fn add(parts: &mut Parts, file: &str, document: Document, folder: &Path, depth: usize) -> Result<(), Error> {
    if let Some(base) = &document.extends {
        let place = Some(line_and_column(&base.referenced));
        if depth >= EXTENDS_MAX {
            let complaint = Complaint::new("goes in a circle, or is a very long chain", "").about("extends");
            return Err(complaint.at(file, place).into());
        }
        let (base_file, text, base_folder) =
            text_of(&base.value, folder).map_err(|error| extends_nothing(error).at(file, place))?;
        let base = parse(&base_file, &text)?;
        add(parts, &base_file, base, &base_folder, depth + 1)?;
    }
    if let Some(raw) = document.topology {
        let place = Some(line_and_column(&raw.referenced));
        parts.topology = Some(topology(raw.value).map_err(|complaint| complaint.at(file, place))?);
    }
    add_section(&mut parts.core, file, "core", document.core, |key| entry_kind(CORE, key))?;
    for (kind, section) in document.kinds {
        let path = format!("kinds.{kind}");
        add_section(parts.kinds.entry(kind).or_default(), file, &path, section, |key| entry_kind(CORE, key))?;
    }
    add_section(&mut parts.coherence, file, "coherence", document.coherence, |key| entry_kind(COHERENCE, key))?;
    let kinds: Vec<String> = parts.kinds.keys().cloned().collect();
    add_section(&mut parts.transfer, file, "transfer", document.transfer, |key| transfer_kind(key, &kinds))
}

/// What is wrong with the profile that `extends` names.
fn extends_nothing(error: Error) -> Complaint {
    let complaint = match error {
        Error::UnknownProfile { name, help } => Complaint::new(format!("is `{name}`, which is no profile"), help),
        Error::Unreadable { file, why } => Complaint::new(format!("is {file}, which cannot be read: {why}"), ""),
        Error::Invalid(complaint) => return complaint,
    };
    complaint.about("extends")
}

fn add_section(
    section: &mut Section,
    file: &str,
    path: &str,
    raw: RawSection,
    kind_of: impl Fn(&str) -> Result<&'static Kind, Complaint>,
) -> Result<(), Error> {
    for (key, raw) in raw {
        let place = Some(line_and_column(&raw.referenced));
        let read = kind_of(&key).and_then(|kind| read_parameter(kind, &raw.value));
        let parameter = read.map_err(|complaint| complaint.about(format!("{path}.{key}")).at(file, place))?;
        section.insert(key, parameter);
    }
    Ok(())
}

/// Reads a parameter of this kind.
pub(crate) fn read_parameter(kind: &Kind, raw: &RawParameter) -> Result<Parameter, Complaint> {
    let Some(value) = &raw.value else {
        return Err(Complaint::new("has no value", "write { value: …, range: […, …], source: … }"));
    };
    let range = match raw.range.as_deref() {
        None => None,
        Some([low, high]) => Some([low.as_str(), high.as_str()]),
        Some(_) => return Err(Complaint::new("has a range that is not two values", "write range: [least, greatest]")),
    };
    Parameter::read(kind, value, range, raw.source.as_deref().unwrap_or(""))
}

fn entry_kind(entries: &'static [Entry], key: &str) -> Result<&'static Kind, Complaint> {
    if let Some(entry) = entries.iter().find(|entry| entry.key == key) {
        return Ok(&entry.kind);
    }
    let keys: Vec<&str> = entries.iter().map(|entry| entry.key).collect();
    Err(unknown_key(key, &keys))
}

fn unknown_key(key: &str, known: &[&str]) -> Complaint {
    let help = match nearest(key, known.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("there are {}", known.join(", ")),
    };
    Complaint::new("is unknown", help)
}

fn transfer_kind(key: &str, kinds: &[String]) -> Result<&'static Kind, Complaint> {
    let (distance, pair) = key.split_once('/').map_or((key, None), |(distance, pair)| (distance, Some(pair)));
    let names = Distance::ALL.map(Distance::name);
    if !names.contains(&distance) {
        return Err(unknown_key(distance, &names));
    }
    let known = |kind: &str| kinds.iter().any(|known| known == kind);
    match pair.map(|pair| pair.split_once('+')) {
        None => Ok(&TRANSFER),
        Some(Some((one, other))) if known(one) && known(other) => Ok(&TRANSFER),
        Some(_) if kinds.is_empty() => Err(Complaint::new("names kinds of cores", "this machine has none")),
        Some(_) => {
            let help = format!("write {distance}/{}+{}; there are {}", kinds[0], kinds[0], kinds.join(", "));
            Err(Complaint::new("does not name two kinds of cores", help))
        }
    }
}

fn topology(raw: RawTopology) -> Result<Topology, Complaint> {
    let counts = [raw.sockets, raw.llcs_per_socket, raw.clusters_per_llc, raw.cores_per_cluster, raw.threads_per_core];
    if let Some(cpus) = raw.cpus {
        if counts.iter().any(Option::is_some) || raw.numbering.is_some() {
            return Err(Complaint::new("has both a list of CPUs and counts", "use one of them").about("topology"));
        }
        return Ok(Topology::Listed(cpus));
    }
    let counts: Option<Vec<u64>> = counts.into_iter().collect();
    let Some([sockets, llcs_per_socket, clusters_per_llc, cores_per_cluster, threads_per_core]) =
        counts.and_then(|counts| <[u64; 5]>::try_from(counts).ok())
    else {
        let help = "it has sockets, llcs-per-socket, clusters-per-llc, cores-per-cluster and threads-per-core, or cpus";
        return Err(Complaint::new("is not complete", help).about("topology"));
    };
    let numbering = raw.numbering.unwrap_or_else(super::topology::usual_numbering);
    Ok(Topology::Regular(Regular {
        sockets,
        llcs_per_socket,
        clusters_per_llc,
        cores_per_cluster,
        threads_per_core,
        numbering,
    }))
}
