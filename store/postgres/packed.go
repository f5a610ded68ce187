package postgres

import "encoding/binary"

// packed is a row in one piece of memory, into which the garbage collector
// does not look: each value after its length + 1, or 0 for null.
type packed []byte

func pack(r row) packed {
	size := 0
	for _, value := range r {
		size += len(value) + 1
		if len(value) > 126 {
			size++
		}
	}
	p := make(packed, 0, size)
	for _, value := range r {
		if value == nil {
			p = append(p, 0)
			continue
		}
		p = append(binary.AppendUvarint(p, uint64(len(value)+1)), value...)
	}
	return p
}

// unpack is the row again, in the memory of an earlier one. Its values are
// those of p.
func (p packed) unpack(r row) row {
	r = r[:0]
	for len(p) > 0 {
		size, n := binary.Uvarint(p)
		p = p[n:]
		if size == 0 {
			r = append(r, nil)
			continue
		}
		end := size - 1
		r, p = append(r, p[:end:end]), p[end:]
	}
	return r
}
