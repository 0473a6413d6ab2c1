//! What a model was told, also one that was loaded or cloned.

use crate::choices::{Criterion, LandmarkMethod, Reduction, Route};
use crate::error::{told, zeros, Result};
use crate::kernel::Kernel;
use crate::model::Model;
use crate::sys;
use std::ptr;

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
        let mut divisions = 0;
        self.handle.read(|model| unsafe { sys::freeridge_get_groups(model, &mut divisions, ptr::null_mut()) })?;
        let mut group = zeros(self.points()?.saturating_mul(told(divisions)))?;
        self.handle.read(|model| unsafe { sys::freeridge_get_groups(model, ptr::null_mut(), group.as_mut_ptr()) })?;
        Ok(group)
    }

    /// n labels for each layer of gaps of each division; empty: no gaps.
    pub fn gaps(&self) -> Result<Vec<i32>> {
        let (mut divisions, mut layers) = (0, 0);
        self.handle.read(|model| unsafe { sys::freeridge_get_groups(model, &mut divisions, ptr::null_mut()) })?;
        self.handle.read(|model| unsafe { sys::freeridge_get_gaps(model, &mut layers, ptr::null_mut()) })?;
        let rows = self.points()?.saturating_mul(told(divisions));
        let mut gap = zeros(rows.saturating_mul(told(layers)))?;
        self.handle.read(|model| unsafe { sys::freeridge_get_gaps(model, ptr::null_mut(), gap.as_mut_ptr()) })?;
        Ok(gap)
    }

    pub fn has_intercept(&self) -> Result<bool> {
        Ok(self.number(sys::freeridge_has_intercept)? != 0)
    }

    /// As `set_route` was told; `route` is what `factorize` ran.
    pub fn requested_route(&self) -> Result<Route> {
        Route::of(self.number(sys::freeridge_get_requested_route)?)
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
        let (mut method, mut seed) = (0, 0);
        self.handle.read(|model| unsafe { sys::freeridge_get_landmark_method(model, &mut method, &mut seed) })?;
        Ok((LandmarkMethod::of(method)?, seed))
    }

    pub fn reduction(&self) -> Result<Reduction> {
        Reduction::of(self.number(sys::freeridge_get_reduction)?)
    }

    pub fn refinement(&self) -> Result<i32> {
        self.number(sys::freeridge_get_refinement)
    }

    pub fn requested_accuracy(&self) -> Result<f64> {
        self.number(sys::freeridge_get_requested_accuracy)
    }

    pub fn expected_lambdas(&self) -> Result<usize> {
        Ok(told(self.number(sys::freeridge_get_expected_lambdas)?))
    }

    pub fn expected_criterion(&self) -> Result<Criterion> {
        Criterion::of(self.number(sys::freeridge_get_expected_criterion)?)
    }

    /// 0: none.
    pub fn memory_limit(&self) -> Result<i64> {
        self.number(sys::freeridge_get_memory_limit)
    }

    fn number<T: Default>(
        &self, call: unsafe extern "C" fn(*const sys::freeridge_model, *mut T) -> sys::freeridge_status,
    ) -> Result<T> {
        let mut value = T::default();
        self.handle.read(|model| unsafe { call(model, &mut value) })?;
        Ok(value)
    }
}
