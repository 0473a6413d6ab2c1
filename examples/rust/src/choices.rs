//! The library's enumerations. Later versions may have more of each.

use crate::sys;
use std::fmt;

macro_rules! choices {
    ($(#[$about:meta])* $name:ident { $($(#[$meaning:meta])* $word:ident = $value:ident,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$meaning])* $word = sys::$value as isize,)+
        }

        impl $name {
            pub(crate) fn number(self) -> i32 {
                self as i32
            }
        }

        impl fmt::Display for $name {
            /// The name of C without FREERIDGE_.
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $($name::$word => out.pad(stringify!($value).trim_start_matches("FREERIDGE_")),)+
                }
            }
        }
    };
}

choices! {
    /// How the factorization is computed.
    Route {
        Auto = FREERIDGE_AUTO,
        Cholesky = FREERIDGE_CHOLESKY,
        Spectral = FREERIDGE_SPECTRAL,
        Band = FREERIDGE_BAND,
        Primal = FREERIDGE_PRIMAL,
        Landmark = FREERIDGE_LANDMARK,
    }
}

impl Route {
    /// The route of a number; none of those that came after this crate.
    pub(crate) fn of(number: sys::freeridge_route) -> Option<Route> {
        let all = [Route::Auto, Route::Cholesky, Route::Spectral, Route::Band, Route::Primal, Route::Landmark];
        all.into_iter().find(|route| route.number() == number)
    }
}

choices! {
    /// What lambda is judged by.
    Criterion {
        Loo = FREERIDGE_LOO,
        Gcv = FREERIDGE_GCV,
        Reml = FREERIDGE_REML,
        Groups = FREERIDGE_GROUPS,
        ErrorRate = FREERIDGE_ERROR_RATE,
    }
}

choices! {
    /// How landmarks are chosen.
    LandmarkMethod {
        Auto = FREERIDGE_LANDMARKS_AUTO,
        Random = FREERIDGE_LANDMARKS_RANDOM,
        Kmeans = FREERIDGE_LANDMARKS_KMEANS,
        Pivoted = FREERIDGE_LANDMARKS_PIVOTED,
    }
}

choices! {
    /// How the routes `Primal` and `Landmark` reduce their rows.
    Reduction {
        Auto = FREERIDGE_REDUCTION_AUTO,
        Qr = FREERIDGE_REDUCTION_QR,
        Gram = FREERIDGE_REDUCTION_GRAM,
    }
}

choices! {
    /// Whose lambda a number is.
    Convention {
        Total = FREERIDGE_TOTAL,
        Mean = FREERIDGE_MEAN,
        Glmnet = FREERIDGE_GLMNET,
        Sklearn = FREERIDGE_SKLEARN,
        LmRidge = FREERIDGE_LM_RIDGE,
        Krls = FREERIDGE_KRLS,
        Gurls = FREERIDGE_GURLS,
    }
}

choices! {
    /// The loss of a classifier.
    Loss {
        Logistic = FREERIDGE_LOGISTIC,
        Hinge = FREERIDGE_HINGE,
    }
}
