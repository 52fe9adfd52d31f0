//! Writes the files of a run: whole or not at all.
//!
//! Everything is first written into a hidden staging folder, then renamed into place, file by file.
//! A process that dies in the middle leaves whole files in the output folder, and a staging folder
//! that the next run into the same place removes. A live process holds a lock inside its staging
//! folder, so that two runs at once leave each other alone.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use super::Artifact;

const LOCK_FILE: &str = ".lock";
/// Runs of one process id at once into one place.
const MOST_NUMBERS: u32 = 100;

/// Why files could not be written.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The output path, or something on the way to it, is a file.
    #[error("cannot write to {}: it is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// A folder stands where a file of the run belongs.
    #[error("cannot write {}: a folder has that name", .0.display())]
    FolderInTheWay(PathBuf),
    /// The operating system refused.
    #[error("cannot write to {}: {}", .path.display(), .source)]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The run was interrupted, and its files with it.
    #[error("interrupted")]
    Abandoned,
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> OutputError + '_ {
    move |source| OutputError::Io { path: path.to_owned(), source }
}

/// A checked output folder and the staging folder of this process. Dropping it removes the latter.
#[derive(Debug)]
pub struct OutputFolder {
    target: PathBuf,
    stage: Arc<Mutex<Stage>>,
}

#[derive(Debug)]
enum Stage {
    Open { folder: PathBuf, lock: Option<File> },
    Closed,
}

/// Removes the staging folder from another thread, as a signal handler does.
#[derive(Debug, Clone)]
pub struct Abandon(Arc<Mutex<Stage>>);

impl Abandon {
    /// Waits for a file that is being written, or for all that are being renamed, then removes the
    /// staging folder. Nothing is written afterwards.
    pub fn abandon(&self) {
        close(&mut guard(&self.0));
    }
}

impl OutputFolder {
    /// Checks that files can be written into `target`, before anything is computed: makes the
    /// folders on the way to it and a staging folder beside it, or inside it when the folder around
    /// it cannot be written to. Staging folders of dead processes are removed.
    ///
    /// # Errors
    /// When `target` or something on the way is not a folder or cannot be written to. Then nothing
    /// has been changed.
    pub fn prepare(target: &Path) -> Result<Self, OutputError> {
        // A link to nowhere is in the way too, so links are not followed here.
        let is_in_the_way = |path: &&Path| path.symlink_metadata().is_ok() && !path.is_dir();
        if let Some(file) = target.ancestors().find(is_in_the_way) {
            return Err(OutputError::NotAFolder(file.to_owned()));
        }
        if target.is_dir() {
            return Self::prepare_existing(target);
        }
        let (parent, prefix) = beside(target);
        fs::create_dir_all(parent).map_err(at(parent))?;
        let (folder, lock) = stage_in(parent, &prefix)?;
        Ok(Self::staged(target, folder, lock))
    }

    fn prepare_existing(target: &Path) -> Result<Self, OutputError> {
        // A link may lead to another file system, and `.` has no name of its own.
        let real = fs::canonicalize(target).map_err(at(target))?;
        let (parent, prefix) = beside(&real);
        // Renaming into a folder needs write access to it, not only to the one around it.
        let (inside, inside_lock) = stage_in(&real, &prefix)?;
        if let Ok((folder, lock)) = stage_in(parent, &prefix) {
            // A mount point does not take files from beside it.
            let is_same_system = fs::rename(folder.join(LOCK_FILE), inside.join(LOCK_FILE)).is_ok();
            let is_same_system = is_same_system
                && fs::rename(inside.join(LOCK_FILE), folder.join(LOCK_FILE)).is_ok();
            if is_same_system {
                discard(&inside, inside_lock);
                return Ok(Self::staged(target, folder, lock));
            }
            discard(&folder, lock);
        }
        Ok(Self::staged(target, inside, inside_lock))
    }

    fn staged(target: &Path, folder: PathBuf, lock: Option<File>) -> Self {
        let stage = Arc::new(Mutex::new(Stage::Open { folder, lock }));
        Self { target: target.to_owned(), stage }
    }

    /// A handle with which another thread may abandon what is being written.
    #[must_use]
    pub fn abandon(&self) -> Abandon {
        Abandon(Arc::clone(&self.stage))
    }

    /// Writes the files, then renames them into place. Returns their paths, in order.
    ///
    /// # Errors
    /// When a file cannot be written: then no file of the output folder has changed. When one
    /// cannot be renamed, those before it are in place, each whole.
    pub fn write(self, artifacts: &[Artifact]) -> Result<Vec<PathBuf>, OutputError> {
        for artifact in artifacts {
            let stage = guard(&self.stage);
            let path = staging_folder(&stage)?.join(&artifact.file_name);
            fs::write(&path, &artifact.bytes).map_err(at(&path))?;
        }
        // Held to the end: an interrupt leaves all files of one run, not some of two.
        let stage = guard(&self.stage);
        let folder = staging_folder(&stage)?;
        let paths: Vec<PathBuf> =
            artifacts.iter().map(|artifact| self.target.join(&artifact.file_name)).collect();
        if let Some(path) = paths.iter().find(|path| path.is_dir()) {
            return Err(OutputError::FolderInTheWay(path.clone()));
        }
        fs::create_dir_all(&self.target).map_err(at(&self.target))?;
        for (artifact, path) in artifacts.iter().zip(&paths) {
            fs::rename(folder.join(&artifact.file_name), path).map_err(at(path))?;
        }
        Ok(paths)
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        close(&mut guard(&self.stage));
    }
}

fn guard(stage: &Mutex<Stage>) -> MutexGuard<'_, Stage> {
    stage.lock().unwrap_or_else(PoisonError::into_inner)
}

fn staging_folder(stage: &Stage) -> Result<&Path, OutputError> {
    match stage {
        Stage::Open { folder, .. } => Ok(folder),
        Stage::Closed => Err(OutputError::Abandoned),
    }
}

fn close(stage: &mut Stage) {
    if let Stage::Open { folder, lock } = std::mem::replace(stage, Stage::Closed) {
        discard(&folder, lock);
    }
}

/// The folder around a folder, and how the staging folders of the latter are named there.
fn beside(target: &Path) -> (&Path, String) {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let parent = match target.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => target,
    };
    (parent, format!(".{name}.partial-"))
}

/// What cannot be removed is left for the next run.
fn discard(folder: &Path, lock: Option<File>) {
    drop(fs::remove_dir_all(folder));
    drop(lock);
}

/// Removes stale staging folders in `parent`, then makes one.
fn stage_in(parent: &Path, prefix: &str) -> Result<(PathBuf, Option<File>), OutputError> {
    remove_stale(parent, prefix);
    let folder = make_staging(parent, prefix).map_err(at(parent))?;
    let lock_path = folder.join(LOCK_FILE);
    let lock = File::create(&lock_path).map_err(at(&lock_path))?;
    // A file system without locks: the folder then never counts as stale.
    let lock = lock.try_lock().is_ok().then_some(lock);
    Ok((folder, lock))
}

/// Process ids repeat, as in containers that share a folder: then a number is added.
fn make_staging(parent: &Path, prefix: &str) -> io::Result<PathBuf> {
    let pid = std::process::id();
    let mut folder = parent.join(format!("{prefix}{pid}"));
    for number in 1..=MOST_NUMBERS {
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                folder = parent.join(format!("{prefix}{pid}-{number}"));
            }
            made => return made.map(|()| folder),
        }
    }
    Err(io::Error::other("too many runs write to it at once"))
}

/// A folder is stale when nobody holds its lock. One without a lock file is being made this moment.
fn remove_stale(parent: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(prefix));
        let is_number = |c: char| c.is_ascii_digit() || c == '-';
        if pid.is_some_and(|pid| !pid.is_empty() && pid.chars().all(is_number)) {
            let folder = entry.path();
            if let Ok(lock) = File::open(folder.join(LOCK_FILE)) {
                match lock.try_lock() {
                    Ok(()) => discard(&folder, Some(lock)),
                    Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
                }
            }
        }
    }
}
