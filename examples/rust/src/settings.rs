//! What a model was told, also one that was loaded or cloned, and the bounds of what it may be told.

use crate::choices::{Criterion, LandmarkMethod, Reduction, Route};
use crate::error::{check, told, zeros, Result};
use crate::kernel::Kernel;
use crate::model::Model;
use crate::sys;
use std::ptr;

/// The least, the greatest and the usual value of a parameter, and whether it is a whole number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterBounds {
    pub low: f64,
    pub high: f64,
    pub usual: f64,
    pub whole: bool,
}

/// Of a number that `set_refinement` and the like set: `sys::FREERIDGE_REFINEMENT`, ...
pub fn parameter_bounds(parameter: sys::freeridge_parameter) -> Result<ParameterBounds> {
    let (mut low, mut high, mut usual, mut whole) = (0.0, 0.0, 0.0, 0);
    check(unsafe { sys::freeridge_parameter_bounds(parameter, &mut low, &mut high, &mut usual, &mut whole) })?;
    Ok(ParameterBounds { low, high, usual, whole: whole != 0 })
}

impl Model<'_> {
    /// Equal to the one in use; of a predictor, too.
    pub fn kernel(&self) -> Result<Kernel> {
        let mut made = ptr::null_mut();
        self.handle.read(|model| unsafe { sys::freeridge_get_kernel(model, &mut made) })?;
        Ok(Kernel::adopt(made))
    }

    /// n numbers, ones unless set.
    pub fn weights(&self) -> Result<Vec<f64>> {
        let mut weights = zeros(self.points()?)?;
        self.handle.read(|model| unsafe { sys::freeridge_get_weights(model, weights.as_mut_ptr()) })?;
        Ok(weights)
    }

    /// n labels for each division, one after the other, -1 for rows that are never left out.
    pub fn groups(&self) -> Result<Vec<i32>> {
        let mut group = zeros(self.labels_and_layers()?.0)?;
        let place = group.as_mut_ptr();
        let none = ptr::null_mut();
        self.handle.read(|model| unsafe { sys::freeridge_get_groups(model, none, place, none, ptr::null_mut()) })?;
        Ok(group)
    }

    /// n labels for each layer of gaps of each division; empty: no gaps.
    pub fn gaps(&self) -> Result<Vec<i32>> {
        let (labels, layers) = self.labels_and_layers()?;
        let mut gap = zeros(labels.saturating_mul(layers))?;
        let place = gap.as_mut_ptr();
        let none = ptr::null_mut();
        self.handle.read(|model| unsafe { sys::freeridge_get_groups(model, none, ptr::null_mut(), none, place) })?;
        Ok(gap)
    }

    /// The number of labels of all divisions, and of layers of gaps of each.
    fn labels_and_layers(&self) -> Result<(usize, usize)> {
        let (mut divisions, mut layers) = (0, 0);
        self.handle.read(|model| unsafe {
            sys::freeridge_get_groups(model, &mut divisions, ptr::null_mut(), &mut layers, ptr::null_mut())
        })?;
        Ok((self.points()?.saturating_mul(told(divisions)), told(layers)))
    }

    pub fn has_intercept(&self) -> Result<bool> {
        Ok(self.parameter(sys::FREERIDGE_INTERCEPT)? != 0.0)
    }

    /// As `set_route` was told; `route` is what `factorize` ran.
    pub fn requested_route(&self) -> Result<Route> {
        Route::of(self.parameter(sys::FREERIDGE_ROUTE)? as i32)
    }

    /// How many landmarks were asked for (0: none), and those that were given (none where the library chooses).
    pub fn requested_landmarks(&self) -> Result<(usize, Vec<usize>)> {
        let (mut count, mut given) = (0, 0);
        self.handle.read(|model| unsafe {
            sys::freeridge_get_requested_landmarks(model, &mut count, &mut given, ptr::null_mut())
        })?;
        let mut rows: Vec<i64> = zeros(told(given))?;
        self.handle.read(|model| unsafe {
            sys::freeridge_get_requested_landmarks(model, ptr::null_mut(), ptr::null_mut(), rows.as_mut_ptr())
        })?;
        Ok((told(count), rows.into_iter().map(told).collect()))
    }

    /// The method and the seed.
    pub fn landmark_method(&self) -> Result<(LandmarkMethod, i64)> {
        let method = self.parameter(sys::FREERIDGE_LANDMARK_METHOD)? as i32;
        Ok((LandmarkMethod::of(method)?, self.parameter(sys::FREERIDGE_LANDMARK_SEED)? as i64))
    }

    pub fn reduction(&self) -> Result<Reduction> {
        Reduction::of(self.parameter(sys::FREERIDGE_REDUCTION)? as i32)
    }

    pub fn refinement(&self) -> Result<i32> {
        Ok(self.parameter(sys::FREERIDGE_REFINEMENT)? as i32)
    }

    pub fn requested_accuracy(&self) -> Result<f64> {
        self.parameter(sys::FREERIDGE_ACCURACY)
    }

    pub fn expected_lambdas(&self) -> Result<usize> {
        Ok(told(self.parameter(sys::FREERIDGE_EXPECTED_LAMBDAS)? as i64))
    }

    pub fn expected_criterion(&self) -> Result<Criterion> {
        Criterion::of(self.parameter(sys::FREERIDGE_EXPECTED_CRITERION)? as i32)
    }

    /// 0: none.
    pub fn memory_limit(&self) -> Result<i64> {
        Ok(self.parameter(sys::FREERIDGE_MEMORY_LIMIT)? as i64)
    }

    pub fn kept_squares(&self) -> Result<f64> {
        self.parameter(sys::FREERIDGE_KEPT_SQUARES)
    }

    pub(crate) fn parameter(&self, parameter: sys::freeridge_parameter) -> Result<f64> {
        let mut value = 0.0;
        self.handle.read(|model| unsafe { sys::freeridge_get_parameter(model, parameter, &mut value) })?;
        Ok(value)
    }
}
