//! Names for the values of an enumeration.

/// Defines `ALL`, `name`, `Display` and `FromStr` of an enumeration from one list of its values and their
/// names. The literal says what it is, for the documentation and for the error on an unknown name.
macro_rules! names {
    ($type:ident, $what:literal: $($variant:ident $(($part:path))? = $name:literal),+ $(,)?) => {
        impl $type {
            #[doc = concat!("Every ", $what, ".")]
            pub const ALL: [$type; [$($name),+].len()] = [$($type::$variant $(($part))?),+];

            /// The name by which it is asked for.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant $(($part))? => $name),+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Error;

            fn from_str(name: &str) -> $crate::Result<$type> {
                $type::ALL.into_iter().find(|value| value.name() == name).ok_or_else(|| {
                    let names = $type::ALL.map($type::name).join(", ");
                    $crate::Error::Parameter(format!("no {} {name:?}; there are {names}", $what))
                })
            }
        }
    };
}

pub(crate) use names;
