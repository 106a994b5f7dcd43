//! The data that servers exchange when ranks make a group, as MPI sessions do.

/// One server's part of the data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    pub node: u32,
    /// A number that differs for each group of this server.
    pub number: u32,
    pub data: Vec<u8>,
}

impl Part {
    pub fn bytes(&self) -> Vec<u8> {
        let numbers = [self.node, self.number, self.data.len() as u32];
        numbers.into_iter().flat_map(u32::to_le_bytes).chain(self.data.iter().copied()).collect()
    }

    fn take(bytes: &mut &[u8]) -> Option<Part> {
        let mut number = || {
            let (first, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(u32::from_le_bytes(*first))
        };
        let (node, number, length) = (number()?, number()?, number()?);
        let (data, rest) = bytes.split_at_checked(length as usize)?;
        *bytes = rest;
        Some(Part { node, number, data: data.to_vec() })
    }
}

/// The number of the group, and the data of all servers, one after the other. The number is made from the lowest node
/// and that server's number, so it is the same on all servers and differs from other groups' numbers.
pub fn join(mut parts: &[u8]) -> Option<(usize, Vec<u8>)> {
    let mut all = Vec::new();
    while !parts.is_empty() {
        all.push(Part::take(&mut parts)?);
    }
    let lowest = all.iter().min_by_key(|p| p.node)?;
    let number = (lowest.node as usize + 1) << 32 | lowest.number as usize;
    Some((number, all.iter().flat_map(|p| p.data.iter().copied()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_joined() {
        let part = |node, number, data: &[u8]| Part { node, number, data: data.to_vec() };
        let (a, b) = (part(3, 9, b"abc"), part(1, 7, b""));
        let number = 2 << 32 | 7;
        assert_eq!(join(&[a.bytes(), b.bytes()].concat()), Some((number, b"abc".to_vec())));
        assert_eq!(join(&[b.bytes(), a.bytes()].concat()), Some((number, b"abc".to_vec())));
        assert_eq!(join(&a.bytes()[..14]), None);
        assert_eq!(join(b""), None);
    }
}
