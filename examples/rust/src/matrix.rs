//! Matrices that are lent to the library, and those that it fills. Their sizes fit their numbers: they are checked
//! where they are made, and cannot be changed.

use crate::error::{answer, check_length, numbers, size, zeros, Error, Result, Status};
use crate::sys;
use std::fmt;

/// How the numbers of a matrix follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    ColumnMajor = sys::FREERIDGE_COL_MAJOR as isize,
    RowMajor = sys::FREERIDGE_ROW_MAJOR as isize,
}

impl Layout {
    /// Where element (i, j) is.
    fn index(self, i: usize, j: usize, ld: usize) -> usize {
        match self {
            Layout::ColumnMajor => i + j * ld,
            Layout::RowMajor => i * ld + j,
        }
    }

    /// The leading dimension without gaps.
    fn tight(self, rows: usize, columns: usize) -> usize {
        match self {
            Layout::ColumnMajor => rows,
            Layout::RowMajor => columns,
        }
    }
}

/// A borrowed matrix: nothing is copied.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a> {
    layout: Layout,
    rows: usize,
    columns: usize,
    ld: usize,
    data: &'a [f64],
}

/// A matrix as the library takes it.
pub(crate) struct Lent {
    pub layout: sys::freeridge_layout,
    pub rows: i64,
    pub columns: i64,
    pub ld: i64,
    pub data: *const f64,
}

impl Lent {
    /// As points: one row each.
    pub fn points(&self) -> sys::freeridge_points {
        let none = no_points(self.rows, self.columns);
        sys::freeridge_points { layout: self.layout, x: self.data, ldx: self.ld, ..none }
    }

    /// The columns that are not penalised, beside such points.
    pub fn beside(&self, points: sys::freeridge_points) -> sys::freeridge_points {
        let (count, unpenalised) = (self.columns, self.data);
        sys::freeridge_points { layout: self.layout, unpenalised_count: count, unpenalised, ldu: self.ld, ..points }
    }
}

/// Points without rows: those that a model has.
pub(crate) fn no_points(n: i64, d: i64) -> sys::freeridge_points {
    sys::freeridge_points { n, d, ..Default::default() }
}

impl<'a> Matrix<'a> {
    /// Element (i, j) is `data[i * ld + j]` or `data[i + j * ld]`; `data` may be longer than needed.
    pub fn new(layout: Layout, rows: usize, columns: usize, ld: usize, data: &'a [f64]) -> Result<Matrix<'a>> {
        let (lines, line) = match layout {
            Layout::ColumnMajor => (columns, rows),
            Layout::RowMajor => (rows, columns),
        };
        let needed = lines.checked_sub(1).and_then(|full| full.checked_mul(ld)).and_then(|full| full.checked_add(line));
        match needed {
            Some(needed) if line >= 1 && ld >= line && data.len() >= needed => {
                Ok(Matrix { layout, rows, columns, ld, data })
            }
            _ => Err(no_matrix(data.len(), rows, columns, ld)),
        }
    }

    /// One row after the other, without gaps.
    pub fn row_major(data: &'a [f64], columns: usize) -> Result<Matrix<'a>> {
        let rows = data.len().checked_div(columns).unwrap_or(0);
        Matrix::of_all(Layout::RowMajor, rows, columns, data)
    }

    /// One column after the other, without gaps.
    pub fn column_major(data: &'a [f64], rows: usize) -> Result<Matrix<'a>> {
        let columns = data.len().checked_div(rows).unwrap_or(0);
        Matrix::of_all(Layout::ColumnMajor, rows, columns, data)
    }

    /// One column; the library refuses an empty one.
    pub fn column(data: &'a [f64]) -> Matrix<'a> {
        Matrix { layout: Layout::ColumnMajor, rows: data.len(), columns: 1, ld: data.len(), data }
    }

    fn of_all(layout: Layout, rows: usize, columns: usize, data: &'a [f64]) -> Result<Matrix<'a>> {
        check_length("the matrix", data.len(), rows * columns)?; // no more than data.len()
        Matrix::new(layout, rows, columns, layout.tight(rows, columns), data)
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Panics where there is no such element.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        assert!(i < self.rows && j < self.columns, "no element ({i}, {j})");
        self.data[self.layout.index(i, j, self.ld)]
    }

    pub(crate) fn lent(&self) -> Result<Lent> {
        let (rows, columns, ld) = (size(self.rows)?, size(self.columns)?, size(self.ld)?);
        Ok(Lent { layout: self.layout as sys::freeridge_layout, rows, columns, ld, data: self.data.as_ptr() })
    }

    /// The same numbers seen in a layout, where that needs no copy: a single column is in both.
    pub(crate) fn seen_as(&self, layout: Layout) -> Option<Matrix<'a>> {
        let ld = match layout {
            _ if self.layout == layout => self.ld,
            Layout::RowMajor if self.columns == 1 => 1,
            Layout::ColumnMajor if self.columns == 1 && self.ld == 1 => self.rows,
            _ => return None,
        };
        Some(Matrix { layout, ld, ..*self })
    }

    /// The same in a layout, copied into `buffer` when it has to be.
    pub(crate) fn in_layout(&self, layout: Layout, buffer: &'a mut Vec<f64>) -> Result<Matrix<'a>> {
        if let Some(seen) = self.seen_as(layout) {
            return Ok(seen);
        }
        let ld = layout.tight(self.rows, self.columns);
        *buffer = zeros(self.rows * self.columns)?; // no more than data.len()
        for i in 0..self.rows {
            for j in 0..self.columns {
                buffer[layout.index(i, j, ld)] = self.at(i, j);
            }
        }
        Matrix::new(layout, self.rows, self.columns, ld, buffer)
    }
}

/// A matrix that owns its numbers, without gaps; results are of this type.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    layout: Layout,
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

impl Dense {
    /// `data` has exactly rows x columns numbers, at least one.
    pub fn new(layout: Layout, rows: usize, columns: usize, data: Vec<f64>) -> Result<Dense> {
        if data.is_empty() || rows.checked_mul(columns) != Some(data.len()) {
            return Err(no_matrix(data.len(), rows, columns, layout.tight(rows, columns)));
        }
        Ok(Dense { layout, rows, columns, data })
    }

    /// A vector as a matrix of one column.
    pub(crate) fn one_column(data: Vec<f64>) -> Dense {
        Dense { layout: Layout::ColumnMajor, rows: data.len(), columns: 1, data }
    }

    /// Room for an answer: NaN until it is there.
    pub(crate) fn room(layout: Layout, rows: usize, columns: usize) -> Result<Dense> {
        let count = rows.checked_mul(columns).ok_or_else(|| {
            Error::new(Status::OutOfMemory, format!("{rows} x {columns} numbers are beyond the address space"))
        })?;
        Dense::new(layout, rows, columns, numbers(count)?)
    }

    /// A column-major answer by a call that wants its place and leading dimension.
    pub(crate) fn filled(rows: usize, columns: usize, call: impl FnOnce(*mut f64, i64) -> Result<()>) -> Result<Dense> {
        let ld = size(rows)?;
        let mut out = Dense::room(Layout::ColumnMajor, rows, columns)?;
        let done = call(out.data.as_mut_ptr(), ld);
        answer(done, out)
    }

    /// Where the library writes, and the leading dimension there.
    pub(crate) fn place(&mut self) -> Result<(*mut f64, i64)> {
        let ld = size(self.layout.tight(self.rows, self.columns))?;
        Ok((self.data.as_mut_ptr(), ld))
    }

    pub fn layout(&self) -> Layout {
        self.layout
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Panics where there is no such element.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.view().at(i, j)
    }

    /// All numbers, in the order of the layout.
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    pub fn data_mut(&mut self) -> &mut [f64] {
        &mut self.data
    }

    pub fn into_data(self) -> Vec<f64> {
        self.data
    }

    pub fn view(&self) -> Matrix<'_> {
        let ld = self.layout.tight(self.rows, self.columns);
        Matrix { layout: self.layout, rows: self.rows, columns: self.columns, ld, data: &self.data }
    }
}

impl fmt::Display for Dense {
    /// A line for each row; width and precision are those of each number: `{:8.3}`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for i in 0..self.rows {
            for j in 0..self.columns {
                out.write_str(if j > 0 { " " } else { "" })?;
                fmt::Display::fmt(&self.at(i, j), out)?;
            }
            out.write_str("\n")?;
        }
        Ok(())
    }
}

fn no_matrix(numbers: usize, rows: usize, columns: usize, ld: usize) -> Error {
    let message = format!("{numbers} numbers are no {rows} x {columns} matrix with leading dimension {ld}");
    Error::new(Status::InvalidArgument, message)
}
