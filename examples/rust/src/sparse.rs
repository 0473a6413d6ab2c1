//! Sparse matrices that are lent to the library. Their arrays fit their sizes: that is checked where they are made. The
//! library checks that places ascend within their line.

use crate::error::{size, Error, Result, Status};
use crate::matrix::no_points;
use crate::sys;

/// What the lines of a sparse matrix are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SparseFormat {
    /// Its rows.
    Csr = sys::FREERIDGE_CSR as isize,
    /// Its columns.
    Csc = sys::FREERIDGE_CSC as isize,
}

/// A borrowed sparse matrix: nothing is copied.
#[derive(Debug, Clone, Copy)]
pub struct Sparse<'a> {
    format: SparseFormat,
    rows: usize,
    columns: usize,
    start: &'a [i64],
    index: &'a [i32],
    value: &'a [f64],
}

/// A sparse matrix as the library takes it.
pub(crate) struct LentSparse {
    pub format: sys::freeridge_sparse_format,
    pub rows: i64,
    pub columns: i64,
    pub start: *const i64,
    pub index: *const i32,
    pub value: *const f64,
}

impl LentSparse {
    /// As points: one row each.
    pub fn points(&self) -> sys::freeridge_points {
        let (format, start, index, value) = (self.format, self.start, self.index, self.value);
        sys::freeridge_points { format, start, index, value, ..no_points(self.rows, self.columns) }
    }
}

impl<'a> Sparse<'a> {
    /// The entries p of line l, `start[l] <= p < start[l + 1]`, are the numbers `value[p]` in column (CSR) or row (CSC)
    /// `index[p]`, ascending within the line.
    pub fn new(
        format: SparseFormat, rows: usize, columns: usize, start: &'a [i64], index: &'a [i32], value: &'a [f64],
    ) -> Result<Sparse<'a>> {
        let lines = if format == SparseFormat::Csr { rows } else { columns };
        let entries = start.last().map(|&last| usize::try_from(last));
        if lines.checked_add(1) != Some(start.len()) || index.len() != value.len() || entries != Some(Ok(index.len())) {
            let words = format!(
                "{} starts, {} places and {} values are no sparse matrix of {rows} x {columns}",
                start.len(),
                index.len(),
                value.len()
            );
            return Err(Error::new(Status::InvalidArgument, &words));
        }
        Ok(Sparse { format, rows, columns, start, index, value })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn lent(&self) -> Result<LentSparse> {
        Ok(LentSparse {
            format: self.format as sys::freeridge_sparse_format,
            rows: size(self.rows)?,
            columns: size(self.columns)?,
            start: self.start.as_ptr(),
            index: self.index.as_ptr(),
            value: self.value.as_ptr(),
        })
    }
}
