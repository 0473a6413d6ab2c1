//! Kernel functions: immutable, and shared freely between threads.

use crate::error::{bytes, check, check_length, size, text, told, zeros, Error, Result, Status};
use crate::matrix::{Dense, Matrix};
use crate::sys;
use std::ffi::CString;
use std::fmt;
use std::ptr;
use std::str::FromStr;
use std::sync::Arc;

/// A kernel function k(x, z). A clone is the same one.
#[derive(Clone)]
pub struct Kernel {
    handle: Arc<Handle>,
}

struct Handle(*mut sys::freeridge_kernel);

// A kernel never changes after it has been made.
unsafe impl Send for Handle {}
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { sys::freeridge_kernel_destroy(self.0) }
    }
}

impl Kernel {
    fn made_by(make: impl FnOnce(*mut *mut sys::freeridge_kernel) -> sys::freeridge_status) -> Result<Kernel> {
        let mut handle = ptr::null_mut();
        check(make(&mut handle))?;
        Ok(Kernel::adopt(handle))
    }

    /// Of a handle that a call made.
    pub(crate) fn adopt(handle: *mut sys::freeridge_kernel) -> Kernel {
        Kernel { handle: Arc::new(Handle(handle)) }
    }

    /// k(x_i, z_j) for the rows of x and z, in the layout of x.
    pub fn values(&self, x: Matrix<'_>, z: Matrix<'_>) -> Result<Dense> {
        check_length("a row of z", z.columns(), x.columns())?;
        let (points, others) = (x.lent()?.points(), z.lent()?.points());
        let mut out = Dense::room(x.layout(), x.rows(), z.rows())?;
        let (place, ld) = out.place()?;
        let layout = points.layout;
        check(unsafe { sys::freeridge_kernel_evaluate(self.handle(), &points, &others, layout, place, ld) })?;
        Ok(out)
    }

    /// The d divisors of a linear kernel, k(x, z) = sum_k x_k z_k / scale_k^2; `None` for other kernels.
    pub fn linear_scale(&self, d: usize) -> Result<Option<Vec<f64>>> {
        let (mut scale, mut linear, count) = (zeros(d)?, 0, size(d)?);
        check(unsafe { sys::freeridge_kernel_linear_scale(self.handle(), count, scale.as_mut_ptr(), &mut linear) })?;
        Ok(if linear != 0 { Some(scale) } else { None })
    }

    pub(crate) fn handle(&self) -> *const sys::freeridge_kernel {
        self.handle.0
    }

    /// x'z
    pub fn linear() -> Result<Kernel> {
        Kernel::made_by(|out| unsafe { sys::freeridge_kernel_linear(out) })
    }

    /// (scale x'z + offset)^degree
    pub fn polynomial(degree: i32, scale: f64, offset: f64) -> Result<Kernel> {
        Kernel::made_by(|out| unsafe { sys::freeridge_kernel_polynomial(degree, scale, offset, out) })
    }

    /// exp(-||x - z||^2 / sigma^2)
    pub fn gaussian(sigma: f64) -> Result<Kernel> {
        Kernel::made_by(|out| unsafe { sys::freeridge_kernel_gaussian(sigma, out) })
    }

    /// exp(-||x - z|| / sigma)
    pub fn laplacian(sigma: f64) -> Result<Kernel> {
        Kernel::made_by(|out| unsafe { sys::freeridge_kernel_laplacian(sigma, out) })
    }

    /// The Matern kernel of nu = 0.5, 1.5 or 2.5
    pub fn matern(nu: f64, length: f64) -> Result<Kernel> {
        Kernel::made_by(|out| unsafe { sys::freeridge_kernel_matern(nu, length, out) })
    }

    /// The model's x is the kernel matrix itself.
    pub fn precomputed() -> Result<Kernel> {
        Kernel::made_by(|out| unsafe { sys::freeridge_kernel_precomputed(out) })
    }

    /// The sum of weights and kernels.
    pub fn sum(terms: &[(f64, &Kernel)]) -> Result<Kernel> {
        let handles: Vec<_> = terms.iter().map(|term| term.1.handle()).collect();
        let weights: Vec<_> = terms.iter().map(|term| term.0).collect();
        let count = count(terms.len())?;
        Kernel::made_by(|out| unsafe { sys::freeridge_kernel_sum(handles.as_ptr(), weights.as_ptr(), count, out) })
    }

    /// The product of kernels.
    pub fn product(factors: &[&Kernel]) -> Result<Kernel> {
        let handles: Vec<_> = factors.iter().map(|factor| factor.handle()).collect();
        let count = count(factors.len())?;
        Kernel::made_by(|out| unsafe { sys::freeridge_kernel_product(handles.as_ptr(), count, out) })
    }

    /// This kernel of x / scale, column by column.
    pub fn scaled(&self, scale: &[f64]) -> Result<Kernel> {
        let d = size(scale.len())?;
        Kernel::made_by(|out| unsafe { sys::freeridge_kernel_scaled(self.handle(), d, scale.as_ptr(), out) })
    }

    /// The mean of this kernel over terms of the columns: each column (`None`), or those with equal labels, one for each
    /// column; columns with a negative label are in none.
    pub fn additive(&self, label: Option<&[i32]>) -> Result<Kernel> {
        let (d, labels) = match label {
            None => (0, std::ptr::null()),
            Some(given) => (size(given.len())?, given.as_ptr()),
        };
        Kernel::made_by(|out| unsafe { sys::freeridge_kernel_additive(self.handle(), d, labels, out) })
    }

    /// The word of its kind: "gaussian", "sum", "scaled".
    pub fn name(&self) -> String {
        text(unsafe { sys::freeridge_kernel_name(self.handle()) })
    }

    /// Its own parameters, not those of its parts: each with its numbers.
    pub fn parameters(&self) -> Result<Vec<(String, Vec<f64>)>> {
        (0..self.counts()?.0)
            .map(|index| {
                let name = text(unsafe { sys::freeridge_kernel_parameter_name(self.handle(), index) });
                let mut length = 0;
                check(unsafe {
                    sys::freeridge_kernel_get_parameter(self.handle(), index, 0, ptr::null_mut(), &mut length)
                })?;
                let mut values: Vec<f64> = zeros(told(length))?;
                check(unsafe {
                    let room = length;
                    sys::freeridge_kernel_get_parameter(self.handle(), index, room, values.as_mut_ptr(), &mut length)
                })?;
                Ok((name, values))
            })
            .collect()
    }

    /// The terms of a sum, the factors of a product, what a scaled or an additive kernel is made of; of others none.
    pub fn parts(&self) -> Result<Vec<Kernel>> {
        (0..self.counts()?.1)
            .map(|index| Kernel::made_by(|out| unsafe { sys::freeridge_kernel_get_part(self.handle(), index, out) }))
            .collect()
    }

    /// All continuous numbers in its tree in the order of its text: weights, scales, sigma, length, and scale and offset
    /// of polynomials.
    pub fn hyperparameters(&self) -> Result<Vec<f64>> {
        let mut values: Vec<f64> = zeros(self.hyperparameter_count()?)?;
        check(unsafe { sys::freeridge_kernel_get_hyperparameters(self.handle(), ptr::null_mut(), values.as_mut_ptr()) })?;
        Ok(values)
    }

    /// Their names: `gaussian.sigma`, `sum[1].scaled.scale[0]`.
    pub fn hyperparameter_names(&self) -> Result<Vec<String>> {
        (0..size(self.hyperparameter_count()?)?)
            .map(|index| {
                let bytes = bytes(1, |room, text, length| {
                    check(unsafe {
                        sys::freeridge_kernel_hyperparameter_name(self.handle(), index, room, text.cast(), length)
                    })
                })?;
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            })
            .collect()
    }

    /// The same kernel with other hyperparameters.
    pub fn with_hyperparameters(&self, values: &[f64]) -> Result<Kernel> {
        check_length("values", values.len(), self.hyperparameter_count()?)?;
        Kernel::made_by(|out| unsafe {
            sys::freeridge_kernel_with_hyperparameters(self.handle(), values.as_ptr(), out)
        })
    }

    fn hyperparameter_count(&self) -> Result<usize> {
        let mut count = 0;
        check(unsafe { sys::freeridge_kernel_get_hyperparameters(self.handle(), &mut count, ptr::null_mut()) })?;
        Ok(told(count))
    }

    fn counts(&self) -> Result<(i32, i32)> {
        let (mut parameters, mut parts) = (0, 0);
        check(unsafe { sys::freeridge_kernel_get_counts(self.handle(), &mut parameters, &mut parts) })?;
        Ok((parameters, parts))
    }

    /// The kernel as text, which parses as the same kernel.
    pub fn describe(&self) -> Result<String> {
        let bytes = bytes(1, |room, text, length| {
            check(unsafe { sys::freeridge_kernel_describe(self.handle(), room, text.cast(), length) })
        })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn count(value: usize) -> Result<i32> {
    i32::try_from(value)
        .map_err(|_| Error::new(Status::InvalidArgument, format!("count is {value}, which is too large")))
}

impl FromStr for Kernel {
    type Err = Error;

    fn from_str(text: &str) -> Result<Kernel> {
        let text = CString::new(text).map_err(|_| Error::new(Status::InvalidArgument, "text has a 0 in it"))?;
        Kernel::made_by(|out| unsafe { sys::freeridge_kernel_parse(text.as_ptr(), out) })
    }
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Kernel) -> bool {
        matches!((self.describe(), other.describe()), (Ok(one), Ok(another)) if one == another)
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&self.describe().map_err(|_| fmt::Error)?)
    }
}
