//! Binary PLY elements with lists: each has a length of its own, so they are walked one by one.

use super::{
    super::{
        Chunk,
        blocks::BlockSource,
        bytes::Bytes,
        records::NumberType,
        scale::{PointNumbers, Role, Shape},
    },
    header::{Element, Type},
};
use crate::{Error, Result};
use std::{collections::VecDeque, sync::Arc};

/// Points of a block.
const BLOCK: u64 = 1 << 14;

/// A place in a binary body.
#[derive(Clone)]
pub(super) struct Cursor {
    bytes: Arc<Bytes>,
    big_endian: bool,
    /// Bytes from `base` on.
    window: Vec<u8>,
    base: u64,
    position: u64,
}

impl Cursor {
    /// A cursor at byte `start`.
    pub(super) fn new(bytes: &Arc<Bytes>, start: u64, big_endian: bool) -> Cursor {
        Cursor {
            bytes: bytes.clone(),
            big_endian,
            window: Vec::new(),
            base: start,
            position: start,
        }
    }

    /// Moves on by `count` things of `size` bytes each.
    fn skip(&mut self, count: u64, size: u64) -> Result<()> {
        let to = count.checked_mul(size);
        let to = to.and_then(|length| self.position.checked_add(length));
        match to.filter(|&to| to <= self.bytes.len()) {
            Some(to) => self.position = to,
            None => return Err(self.short()),
        }
        Ok(())
    }

    /// Reads a number.
    fn number(&mut self, kind: NumberType) -> Result<f64> {
        let mut raw = [0; 8];
        let raw = &mut raw[..kind.size()];
        let at = (self.position - self.base) as usize;
        match self.window.get(at..at + raw.len()) {
            Some(bytes) => raw.copy_from_slice(bytes),
            None => {
                self.window = self.bytes.head(self.position, 1 << 18)?;
                self.base = self.position;
                let bytes = self.window.get(..raw.len());
                raw.copy_from_slice(bytes.ok_or_else(|| self.short())?);
            }
        }
        self.position += raw.len() as u64;
        if self.big_endian {
            raw.reverse();
        }
        Ok(value(kind, raw))
    }

    /// Moves behind a list.
    fn skip_list(&mut self, count: NumberType, item: NumberType) -> Result<()> {
        let n = self.number(count)?;
        if n < 0.0 {
            return Err(self.fault("the length of a list is negative"));
        }
        self.skip(n as u64, item.size() as u64)
    }

    fn short(&self) -> Error {
        self.fault("the file ends before its header's counts are reached")
    }

    fn fault(&self, message: &str) -> Error {
        Error::format(self.bytes.path(), format!("byte {}", self.position), message)
    }
}

/// A number from its bytes, least significant first.
pub(super) fn value(kind: NumberType, raw: &[u8]) -> f64 {
    let mut wide = [0; 8];
    wide[..raw.len()].copy_from_slice(raw);
    let bits = u64::from_le_bytes(wide);
    match kind {
        NumberType::U8 | NumberType::U16 | NumberType::U32 | NumberType::U64 => bits as f64,
        NumberType::I8 => f64::from(bits as i8),
        NumberType::I16 => f64::from(bits as i16),
        NumberType::I32 => f64::from(bits as i32),
        NumberType::I64 => bits as i64 as f64,
        NumberType::F32 => f64::from(f32::from_bits(bits as u32)),
        NumberType::F64 => f64::from_bits(bits),
    }
}

/// The byte behind `elements`.
pub(super) fn skip(mut cursor: Cursor, elements: &[Element]) -> Result<u64> {
    for element in elements {
        if let Some(stride) = element.stride() {
            cursor.skip(element.count, stride as u64)?;
            continue;
        }
        for _ in 0..element.count {
            for property in &element.properties {
                match property.kind {
                    Type::Scalar(kind) => cursor.skip(1, kind.size() as u64)?,
                    Type::List(count, item) => cursor.skip_list(count, item)?,
                }
            }
        }
    }
    Ok(cursor.position)
}

/// A pass over vertices with lists.
pub(super) struct Vertices {
    cursor: Cursor,
    /// The properties, and what they are if they are wanted.
    properties: Vec<(Type, Option<Role>)>,
    shape: Shape,
    left: u64,
}

impl Vertices {
    /// Starts a pass; `role` says what property `index` is.
    pub(super) fn new(
        cursor: Cursor,
        vertex: &Element,
        role: impl Fn(usize) -> Option<Role>,
        floats: [bool; 2],
    ) -> Result<Vertices> {
        let properties = vertex.properties.iter().enumerate();
        let properties = properties.map(|(index, property)| (property.kind, role(index)));
        let properties: Vec<_> = properties.collect();
        let mut vertices = Vertices {
            cursor,
            shape: Shape::of(properties.iter().filter_map(|&(_, role)| role)),
            properties,
            left: vertex.count,
        };
        vertices.fit_scales(floats)?;
        Ok(vertices)
    }

    fn fit_scales(&mut self, floats: [bool; 2]) -> Result<()> {
        if self.shape.fields.colour || self.shape.fields.intensity {
            let start = self.cursor.clone();
            let sample: Result<Vec<PointNumbers>> =
                (0..self.left.min(BLOCK)).map(|_| self.row()).collect();
            self.shape.fit(&sample?, Some(floats));
            self.cursor = start;
        }
        Ok(())
    }

    fn row(&mut self) -> Result<PointNumbers> {
        let mut row = PointNumbers::default();
        for &(kind, role) in &self.properties {
            match (kind, role) {
                (Type::Scalar(kind), Some(role)) => row[role.slot()] = self.cursor.number(kind)?,
                (Type::Scalar(kind), None) => self.cursor.skip(1, kind.size() as u64)?,
                (Type::List(count, item), _) => self.cursor.skip_list(count, item)?,
            }
        }
        Ok(row)
    }
}

impl BlockSource for Vertices {
    fn fill(&mut self, queue: &mut VecDeque<Chunk>) -> Result<()> {
        let mut block = Chunk::default();
        while self.left > 0 && (block.len() as u64) < BLOCK {
            let row = self.row()?;
            self.shape.push(&row, &mut block);
            self.left -= 1;
        }
        if !block.is_empty() {
            queue.push_back(block);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_kinds() {
        assert_eq!(value(NumberType::I8, &[0xff]), -1.0);
        assert_eq!(value(NumberType::U8, &[0xff]), 255.0);
        assert_eq!(value(NumberType::I16, &(-2_i16).to_le_bytes()), -2.0);
        assert_eq!(value(NumberType::U16, &[1, 2]), 513.0);
        assert_eq!(value(NumberType::I32, &i32::MIN.to_le_bytes()), f64::from(i32::MIN));
        assert_eq!(value(NumberType::U32, &u32::MAX.to_le_bytes()), f64::from(u32::MAX));
        assert_eq!(value(NumberType::I64, &(-3_i64).to_le_bytes()), -3.0);
        assert_eq!(value(NumberType::U64, &9_u64.to_le_bytes()), 9.0);
        assert_eq!(value(NumberType::F32, &1.5_f32.to_le_bytes()), 1.5);
        assert_eq!(value(NumberType::F64, &0.1_f64.to_le_bytes()), 0.1);
    }
}
