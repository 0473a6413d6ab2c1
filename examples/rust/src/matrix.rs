//! Matrices that are lent to the library, and those that it fills.

use crate::error::{Error, Result};
use crate::sys;

/// How the numbers of a matrix follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    ColumnMajor = sys::FREERIDGE_COL_MAJOR as isize,
    RowMajor = sys::FREERIDGE_ROW_MAJOR as isize,
}

impl Layout {
    pub(crate) fn number(self) -> sys::freeridge_layout {
        self as sys::freeridge_layout
    }

    /// Where element (i, j) is.
    fn index(self, i: usize, j: usize, ld: usize) -> usize {
        match self {
            Layout::ColumnMajor => i + j * ld,
            Layout::RowMajor => i * ld + j,
        }
    }
}

/// A borrowed matrix: nothing is copied.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a> {
    pub(crate) layout: Layout,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) ld: usize,
    pub(crate) data: &'a [f64],
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
            _ => {
                let message = format!("{} numbers are no {rows} x {columns} matrix with ld = {ld}", data.len());
                Err(Error::mistake(sys::FREERIDGE_INVALID_ARGUMENT, message))
            }
        }
    }

    /// One row after the other, without gaps.
    pub fn row_major(data: &'a [f64], columns: usize) -> Result<Matrix<'a>> {
        let rows = if columns == 0 { 0 } else { data.len() / columns };
        Matrix::of_all(Layout::RowMajor, rows, columns, columns, data)
    }

    /// One column after the other, without gaps.
    pub fn column_major(data: &'a [f64], rows: usize) -> Result<Matrix<'a>> {
        let columns = if rows == 0 { 0 } else { data.len() / rows };
        Matrix::of_all(Layout::ColumnMajor, rows, columns, rows, data)
    }

    /// One column; the library refuses an empty one.
    pub fn column(data: &'a [f64]) -> Matrix<'a> {
        Matrix { layout: Layout::ColumnMajor, rows: data.len(), columns: 1, ld: data.len(), data }
    }

    fn of_all(layout: Layout, rows: usize, columns: usize, ld: usize, data: &'a [f64]) -> Result<Matrix<'a>> {
        crate::error::check_length("the matrix", data.len(), rows * columns)?;
        Matrix::new(layout, rows, columns, ld, data)
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn at(&self, i: usize, j: usize) -> f64 {
        assert!(i < self.rows && j < self.columns, "no element ({i}, {j})");
        self.data[self.layout.index(i, j, self.ld)]
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
    pub(crate) fn in_layout(&self, layout: Layout, buffer: &'a mut Vec<f64>) -> Matrix<'a> {
        if let Some(seen) = self.seen_as(layout) {
            return seen;
        }
        let ld = if layout == Layout::RowMajor { self.columns } else { self.rows };
        buffer.resize(self.rows * self.columns, 0.0);
        for i in 0..self.rows {
            for j in 0..self.columns {
                buffer[layout.index(i, j, ld)] = self.at(i, j);
            }
        }
        Matrix { layout, ld, data: buffer, ..*self }
    }
}

/// A matrix of results, without gaps.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    pub layout: Layout,
    pub rows: usize,
    pub columns: usize,
    pub data: Vec<f64>,
}

impl Dense {
    pub(crate) fn new(layout: Layout, rows: usize, columns: usize) -> Dense {
        Dense { layout, rows, columns, data: vec![0.0; rows * columns] }
    }

    pub(crate) fn ld(&self) -> usize {
        if self.layout == Layout::RowMajor {
            self.columns
        } else {
            self.rows
        }
    }

    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.view().at(i, j)
    }

    pub fn view(&self) -> Matrix<'_> {
        Matrix { layout: self.layout, rows: self.rows, columns: self.columns, ld: self.ld(), data: &self.data }
    }
}
