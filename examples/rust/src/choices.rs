//! The library's enumerations. Later versions may have more of each.

use crate::error::{Error, Result, Status};
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

            /// The choice of a number that the library told.
            #[allow(dead_code)] // of some choices it tells none
            pub(crate) fn of(number: i32) -> Result<$name> {
                [$($name::$word,)+].into_iter().find(|choice| choice.number() == number).ok_or_else(|| {
                    Error::new(Status::Internal, format!("{} {number} is newer than this crate", stringify!($name)))
                })
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
        Auto = FREERIDGE_ROUTE_AUTO,
        Cholesky = FREERIDGE_ROUTE_CHOLESKY,
        Spectral = FREERIDGE_ROUTE_SPECTRAL,
        Band = FREERIDGE_ROUTE_BAND,
        Primal = FREERIDGE_ROUTE_PRIMAL,
        Landmark = FREERIDGE_ROUTE_LANDMARK,
        Iterative = FREERIDGE_ROUTE_ITERATIVE,
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
        LogLoss = FREERIDGE_LOG_LOSS,
        Evidence = FREERIDGE_EVIDENCE,
    }
}

choices! {
    /// Which covariance of the coefficients of a linear kernel.
    Covariance {
        Bayesian = FREERIDGE_COVARIANCE_BAYESIAN,
        Frequentist = FREERIDGE_COVARIANCE_FREQUENTIST,
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
        Total = FREERIDGE_CONVENTION_TOTAL,
        Mean = FREERIDGE_CONVENTION_MEAN,
        Glmnet = FREERIDGE_CONVENTION_GLMNET,
        Sklearn = FREERIDGE_CONVENTION_SKLEARN,
        LmRidge = FREERIDGE_CONVENTION_LM_RIDGE,
        Krls = FREERIDGE_CONVENTION_KRLS,
        Gurls = FREERIDGE_CONVENTION_GURLS,
        TikhonovSquared = FREERIDGE_CONVENTION_TIKHONOV_SQUARED,
        TikhonovHalf = FREERIDGE_CONVENTION_TIKHONOV_HALF,
        TikhonovLogistic = FREERIDGE_CONVENTION_TIKHONOV_LOGISTIC,
        TikhonovHinge = FREERIDGE_CONVENTION_TIKHONOV_HINGE,
        Cost = FREERIDGE_CONVENTION_COST,
        CostMean = FREERIDGE_CONVENTION_COST_MEAN,
        CostMeanNorm = FREERIDGE_CONVENTION_COST_MEAN_NORM,
    }
}

choices! {
    /// What a point is to a support vector machine.
    SupportKind {
        None = FREERIDGE_SUPPORT_NONE,
        Free = FREERIDGE_SUPPORT_FREE,
        Bounded = FREERIDGE_SUPPORT_BOUNDED,
    }
}

choices! {
    /// A loss; a classifier has one of the first two.
    Loss {
        Logistic = FREERIDGE_LOSS_LOGISTIC,
        Hinge = FREERIDGE_LOSS_HINGE,
        Squared = FREERIDGE_LOSS_SQUARED,
        Absolute = FREERIDGE_LOSS_ABSOLUTE,
    }
}

choices! {
    /// How long the steps of gradient descent are.
    StepRule {
        Auto = FREERIDGE_STEP_AUTO,
        Constant = FREERIDGE_STEP_CONSTANT,
        Inverse = FREERIDGE_STEP_INVERSE,
        Root = FREERIDGE_STEP_ROOT,
    }
}
