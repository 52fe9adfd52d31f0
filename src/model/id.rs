//! Indices into a [`Scenario`](super::Scenario)'s tables.
//!
//! Tables are sorted by name, so an index does not depend on the order of a file.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id of the table's entry at `index`.
            ///
            /// # Panics
            /// Over 2³² entries, which validation refuses.
            #[must_use]
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("tables are limited to 2^32 entries"))
            }

            /// The position in the table.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A zone.
    ZoneId
);
id!(
    /// A pool.
    PoolId
);
id!(
    /// An instance kind.
    KindId
);
id!(
    /// A service.
    ServiceId
);
id!(
    /// A client.
    ClientId
);
id!(
    /// A source of first tries that is not a pool's own demand.
    SourceId
);
id!(
    /// An autoscaler.
    AutoscalerId
);
id!(
    /// Where tries come from: a pool's own demand, a source, a call edge.
    OriginId
);
