//! A pool's instances as an autoscaler counts them.

use crate::engine::instances::{Process, flag};
use crate::engine::world::World;

/// What an instance is to an autoscaler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Member {
    /// It serves, or has served since it came up: its usage counts, out of rotation too.
    Ready,
    /// Starting, or up and not yet in rotation.
    NotReady,
    /// Dead, and still in rotation: nobody has noticed yet, and nothing is known of its usage.
    Missing,
}

/// So many of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Members {
    /// See [`Member::Ready`].
    pub ready: u32,
    /// See [`Member::NotReady`].
    pub not_ready: u32,
    /// See [`Member::Missing`].
    pub missing: u32,
}

impl Members {
    /// The instances that the pool has, to an autoscaler.
    #[must_use]
    pub const fn all(&self) -> u32 {
        self.ready + self.not_ready + self.missing
    }

    /// Counts a pool's members.
    #[must_use]
    pub fn of(world: &World<'_>, pool: usize) -> Self {
        let mut members = Self::default();
        for i in world.pools[pool].instances() {
            match Member::of(world, i) {
                Some(Member::Ready) => members.ready += 1,
                Some(Member::NotReady) => members.not_ready += 1,
                Some(Member::Missing) => members.missing += 1,
                None => {}
            }
        }
        members
    }
}

impl Member {
    /// What an instance is; none where it no longer counts: dismissed, given up for good by its
    /// health check, or dead and out of rotation. Such a one is replaced when the load asks for it,
    /// as Kubernetes replaces a pod whose node is gone.
    #[must_use]
    pub fn of(world: &World<'_>, i: usize) -> Option<Self> {
        let instances = &world.instances;
        // Dismissed ones are removed as well.
        if instances.has(i, flag::REMOVED) {
            return None;
        }
        let in_rotation = instances.has(i, flag::IN_ROTATION);
        match instances.process[i] {
            Process::Up => {
                let has_served = in_rotation || instances.rotation_since[i] >= instances.up_at[i];
                Some(if has_served { Self::Ready } else { Self::NotReady })
            }
            Process::Starting => Some(Self::NotReady),
            Process::Dead if in_rotation => Some(Self::Missing),
            Process::Dead | Process::Absent => None,
        }
    }
}
