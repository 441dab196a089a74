//! What the program and the extension consist of: known licences, one version of each part, nothing from elsewhere.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// What `deny.toml` says.
fn rules() -> toml::Table {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    text.parse().expect("valid TOML")
}

fn words(table: &toml::Table, path: [&str; 2]) -> BTreeSet<String> {
    let list = table[path[0]][path[1]].as_array().expect("a list");
    let names = list
        .iter()
        .map(|entry| entry.as_str().or_else(|| entry["name"].as_str()));
    names.map(|name| name.expect("a name").to_owned()).collect()
}

/// Every package that is built on this machine.
fn packages() -> Vec<Value> {
    let version = Command::new(env!("CARGO"))
        .args(["-vV"])
        .output()
        .expect("cargo runs");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .expect("a host");
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--offline",
            "--locked",
            "--filter-platform",
            host,
        ])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// Whether some choice of an SPDX expression needs only licences that are allowed.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let expression = expression.replace('/', " OR ");
    // Brackets stand around alternatives only, where all licences agree on the form.
    let all = expression.split(" AND ");
    all.map(|part| part.trim_matches(['(', ')'])).all(|part| {
        part.split(" OR ")
            .any(|licence| allowed.contains(licence.trim()))
    })
}

#[test]
fn licences_are_told_apart() {
    let allowed = BTreeSet::from(["MIT".to_owned(), "Unicode-3.0".to_owned()]);
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0 OR MIT", true),
        ("MIT/Apache-2.0", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("MIT AND GPL-3.0", false),
        ("GPL-3.0", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}

#[test]
fn every_package_has_a_licence_that_is_allowed() {
    let allowed = words(&rules(), ["licenses", "allow"]);
    let packages = packages();
    assert!(packages.len() > 50, "{}", packages.len());
    for package in packages {
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(
            is_allowed(licence, &allowed),
            "{}: {licence}",
            package["name"]
        );
    }
}

#[test]
fn every_package_comes_from_the_registry_or_from_here() {
    for package in packages() {
        let source = package["source"].as_str();
        let is_known = source.is_none_or(|source| source.starts_with("registry+"));
        assert!(is_known, "{} comes from {source:?}", package["name"]);
    }
}

/// A file of the repository as TOML.
fn table(path: &str) -> toml::Table {
    let text = std::fs::read_to_string(root().join(path));
    let text = text.unwrap_or_else(|error| panic!("{path}: {error}"));
    text.parse().expect("valid TOML")
}

#[test]
fn every_package_of_every_lock_file_is_ours_or_has_a_checksum() {
    for lock in ["Cargo.lock", "fuzz/Cargo.lock", "benches/Cargo.lock"] {
        let table = table(lock);
        let packages = table["package"].as_array().expect("packages");
        assert!(packages.len() > 50, "{lock}: {}", packages.len());
        for package in packages {
            let name = package["name"].as_str().unwrap_or_default();
            match package.get("source").and_then(|source| source.as_str()) {
                None => assert!(name.starts_with("racelens"), "{lock}: {name} has no source"),
                Some(source) => {
                    assert!(source.starts_with("registry+"), "{lock}: {name}: {source}");
                    let checksum = package.get("checksum").and_then(|sum| sum.as_str());
                    let is_whole = checksum.is_some_and(|sum| sum.len() == 64);
                    assert!(is_whole, "{lock}: {name} has no checksum");
                }
            }
        }
    }
}

/// Whether a version stands for any: `*`, `1.*` or nothing.
fn is_wildcard(dependency: &toml::Value) -> bool {
    let version = dependency.as_str().or_else(|| {
        dependency
            .get("version")
            .and_then(|version| version.as_str())
    });
    let has_other_source = ["path", "workspace"]
        .iter()
        .any(|key| dependency.get(key).is_some());
    match version {
        Some(version) => version.contains('*'),
        None => !has_other_source,
    }
}

#[test]
fn no_dependency_takes_any_version_or_comes_from_elsewhere() {
    assert!(is_wildcard(&"*".into()) && !is_wildcard(&"1.2".into()));
    let workspace = table("Cargo.toml");
    let members = workspace["workspace"]["members"].as_array();
    let members = members.expect("members").iter();
    let members = members.map(|member| format!("{}/Cargo.toml", member.as_str().expect("a path")));
    let others = ["fuzz/Cargo.toml", "benches/Cargo.toml"].map(str::to_owned);
    let manifests = members.chain(others).map(|path| (table(&path), path));
    let mut lists: Vec<(String, toml::Value)> = Vec::new();
    for (manifest, path) in manifests {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            lists.extend(manifest.get(kind).map(|list| (path.clone(), list.clone())));
        }
    }
    let shared = workspace["workspace"].get("dependencies");
    lists.extend(shared.map(|list| ("Cargo.toml".to_owned(), list.clone())));
    assert!(lists.len() > 4, "{}", lists.len());
    for (path, list) in lists {
        for (name, dependency) in list.as_table().expect("dependencies") {
            assert!(!is_wildcard(dependency), "{path}: {name} takes any version");
            let is_elsewhere = dependency.get("git").is_some();
            assert!(!is_elsewhere, "{path}: {name} comes from elsewhere");
        }
    }
}

#[test]
fn a_package_that_is_there_twice_has_a_reason() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        versions
            .entry(text("name"))
            .or_default()
            .insert(text("version"));
    }
    let twice: BTreeSet<String> = versions
        .into_iter()
        .filter(|(_, versions)| versions.len() > 1)
        .map(|(name, _)| name)
        .collect();
    let excused = words(&rules(), ["bans", "skip"]);
    assert_eq!(twice, excused, "deny.toml and Cargo.lock must agree");
}

#[test]
fn what_the_extension_ships_is_locked_and_may_be_shipped() {
    /// Besides those of the program; none of them asks for anything but its text.
    const ALSO: &[&str] = &["ISC", "BlueOak-1.0.0", "MIT OR Apache-2.0"];
    let text = std::fs::read_to_string(root().join("editors/vscode/package-lock.json"))
        .expect("a lock file");
    let lock: Value = serde_json::from_str(&text).expect("JSON");
    let packages = lock["packages"].as_object().expect("packages");
    let allowed = words(&rules(), ["licenses", "allow"]);
    let mut shipped = 0;
    for (path, package) in packages.iter().filter(|(path, _)| !path.is_empty()) {
        let integrity = package["integrity"].as_str().unwrap_or_default();
        assert!(integrity.starts_with("sha512-"), "{path} is not locked");
        let elsewhere = package["resolved"].as_str().unwrap_or_default();
        assert!(
            !elsewhere.starts_with("git")
                && !elsewhere.starts_with("file:")
                && package["link"] != true,
            "{path} comes from {elsewhere}"
        );
        if package["dev"] != true {
            shipped += 1;
            // Whoever installs the extension runs nothing of theirs by that.
            assert!(package["hasInstallScript"] != true, "{path} runs a script");
            let licence = package["license"].as_str().unwrap_or("none");
            assert!(
                is_allowed(licence, &allowed) || ALSO.contains(&licence),
                "{path}: {licence}"
            );
        }
    }
    assert!(shipped > 3, "{shipped}");
    let declared = &packages[""]["dependencies"];
    let manifest =
        std::fs::read_to_string(root().join("editors/vscode/package.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(
        *declared, manifest["dependencies"],
        "the lock file is of another manifest"
    );
    for version in declared.as_object().expect("dependencies").values() {
        let version = version.as_str().unwrap_or_default();
        assert!(
            version.starts_with(|c: char| c.is_ascii_digit()),
            "{version} is not one version"
        );
    }
}

#[test]
fn no_crate_of_ours_may_use_unsafe_code() {
    let text = std::fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    let workspace: toml::Table = text.parse().expect("valid TOML");
    assert_eq!(
        workspace["workspace"]["lints"]["rust"]["unsafe_code"].as_str(),
        Some("forbid")
    );
    for member in workspace["workspace"]["members"]
        .as_array()
        .expect("members")
    {
        let path = root()
            .join(member.as_str().expect("a path"))
            .join("Cargo.toml");
        let manifest: toml::Table = std::fs::read_to_string(path)
            .expect("a manifest")
            .parse()
            .expect("valid TOML");
        assert_eq!(
            manifest["lints"]["workspace"].as_bool(),
            Some(true),
            "{member}"
        );
    }
}
