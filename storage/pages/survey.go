package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Rules of pages:
//   - bbolt trusts its pages. A number that is wrong can send it in circles for ever,
//     and lets it write new events over old ones or where they are lost.
//   - So Survey looks at all of them before a file is first used, and for doctor. It reads
//     the head of each, without a memory map. Each page has to have one use, each key has to be in
//     order. To read a file it is enough that the pages that lead to others are sound.
//   - What is read goes into memory of our own, and every number is compared with the
//     size of the file before it is used, so damage is an error and never a fault.

// The kinds of pages and elements, by bbolt's numbers.
const (
	branchPage   = 0x01
	LeafPage     = 0x02
	freelistPage = 0x10

	PageHead    = 16 // bytes before the elements of a page
	ElementSize = 16
	IsBucket    = 1 // flag of an element
)

// survey is one look at the pages of a file.
type survey struct {
	file io.ReaderAt
	size int64  // of a page
	end  uint64 // number behind the last page
	used []bool // by page
	all  bool   // leaves are looked at, too, and that each page has a use

	window     []byte // what was read last, for the pages next to it
	windowFrom int64  // where it is in the file
}

// windowSize is how much is read at a time: pages of a conversation mostly follow one
// another, and a call for each costs more than what it reads.
const windowSize = 128 << 10

// page is the first page of a run of them.
type page struct {
	id       uint64
	flags    uint16
	count    int
	overflow uint64 // pages that belong to it
	data     []byte // of the first page; a leaf of values has it only until the next page is read
}

// Survey looks at the pages that the newest head leads to.
func Survey(f io.ReaderAt, h *head, all bool) error {
	s := survey{file: f, size: h.PageSize(), end: binary.NativeEndian.Uint64(h.raw[40:]), all: all}
	const most = 1 << 36 // pages, far more than any file has
	if s.end < 4 || s.end > most/uint64(s.size) {
		return fmt.Errorf("it has %d pages", s.end)
	}
	if n, err := f.ReadAt(make([]byte, 1), int64(s.end)*s.size-1); n != 1 {
		return fmt.Errorf("its last pages are missing: %w", err)
	}
	s.used = make([]bool, s.end)
	s.used[0], s.used[1] = true, true
	if all { // who only reads needs no list of free pages
		if err := s.free(binary.NativeEndian.Uint64(h.raw[32:])); err != nil {
			return err
		}
	}
	if err := s.tree(binary.NativeEndian.Uint64(h.raw[16:]), true, bounds{}); err != nil {
		return err
	}
	if !all {
		return nil
	}
	for id, used := range s.used {
		if !used {
			return fmt.Errorf("page %d is neither in use nor free", id)
		}
	}
	return nil
}

// read reads the first page of a run, or only its head, and notes that all of it is
// used.
func (s *survey) read(id uint64, wanted uint16) (page, error) {
	if id < 2 || id >= s.end {
		return page{}, fmt.Errorf("page %d is not in the file", id)
	}
	data, err := s.first(int64(id) * s.size)
	if err != nil {
		return page{}, fmt.Errorf("page %d: %w", id, err)
	}
	p := page{data: data}
	p.id = binary.NativeEndian.Uint64(p.data)
	p.flags = binary.NativeEndian.Uint16(p.data[8:])
	p.count = int(binary.NativeEndian.Uint16(p.data[10:]))
	p.overflow = uint64(binary.NativeEndian.Uint32(p.data[12:]))
	if p.id != id || p.flags&wanted == 0 || p.flags&(p.flags-1) != 0 {
		return p, fmt.Errorf("page %d claims to be page %d of kind %#x", id, p.id, p.flags)
	}
	return p, s.use(id, p.overflow+1)
}

// first is the page at a place in the file, to be used until the next one is read.
func (s *survey) first(at int64) ([]byte, error) {
	if at < s.windowFrom || at+s.size > s.windowFrom+int64(len(s.window)) {
		if s.window == nil {
			s.window = make([]byte, max(windowSize, s.size))
		}
		n, err := s.file.ReadAt(s.window[:cap(s.window)], at)
		s.window, s.windowFrom = s.window[:n], at
		if int64(n) < s.size {
			return nil, err
		}
	}
	return s.window[at-s.windowFrom:][:s.size:s.size], nil
}

// use notes that pages are used, which no other use may be.
func (s *survey) use(id, n uint64) error {
	if n > s.end || id+n > s.end {
		return fmt.Errorf("page %d reaches beyond the end", id)
	}
	for i := id; i < id+n; i++ {
		if s.used[i] {
			return fmt.Errorf("page %d has two uses", i)
		}
		s.used[i] = true
	}
	return nil
}

// free looks at the list of free pages.
func (s *survey) free(id uint64) error {
	p, err := s.read(id, freelistPage)
	if err != nil {
		return err
	}
	count, at := uint64(p.count), int64(PageHead)
	if p.count == 0xFFFF { // the number stands before the list
		count, at = binary.NativeEndian.Uint64(p.data[PageHead:]), PageHead+8
	}
	if count > s.end || at+int64(count)*8 > int64(p.overflow+1)*s.size {
		return fmt.Errorf("the list of free pages names %d", count)
	}
	list := make([]byte, count*8)
	if _, err := s.file.ReadAt(list, int64(id)*s.size+at); err != nil && count > 0 {
		return fmt.Errorf("the list of free pages: %w", err)
	}
	for last := uint64(1); len(list) > 0; list = list[8:] {
		free := binary.NativeEndian.Uint64(list)
		if free <= last {
			return fmt.Errorf("the list of free pages names %d after %d", free, last)
		}
		if err := s.use(free, 1); err != nil {
			return err
		}
		last = free
	}
	return nil
}

// bounds are the keys between which those of a page have to be.
type bounds struct{ from, before []byte }

// tree looks at a page and all it leads to. Buckets says that values may be buckets.
func (s *survey) tree(id uint64, buckets bool, b bounds) error {
	p, err := s.read(id, branchPage|LeafPage)
	if err != nil && !s.all && p.data != nil && p.id != id {
		return nil // bbolt refuses such a page where it meets it, and the pages around it can be read
	}
	if err != nil {
		return err
	}
	if p.flags == LeafPage && !buckets {
		if !s.all {
			return nil
		}
		run := run{s, int64(id) * s.size, int64(p.overflow+1) * s.size, p.data}
		return run.leaf(p.count, false, b)
	}
	// What it leads to is read before it is done with.
	run := run{s, int64(id) * s.size, int64(p.overflow+1) * s.size, bytes.Clone(p.data)}
	if p.flags == LeafPage {
		return run.leaf(p.count, true, b)
	}
	return run.branch(p.count, buckets, b)
}

// run is the bytes of a page with those that belong to it, or of a small bucket.
type run struct {
	s        *survey
	at, size int64
	data     []byte // the beginning, which has been read
}

// bytes reads n bytes of a run.
func (r *run) bytes(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > r.size || n > r.size-at {
		return nil, errors.New("it points outside its page")
	}
	if at+n <= int64(len(r.data)) {
		return r.data[at : at+n], nil
	}
	read := make([]byte, n)
	_, err := r.s.file.ReadAt(read, r.at+at)
	return read, err
}

// element reads the four numbers of an element, and where it is.
func (r *run) element(i int) (at int64, e [4]uint32, err error) {
	at = PageHead + int64(i)*ElementSize
	data, err := r.bytes(at, ElementSize)
	if err != nil {
		return at, e, err
	}
	for n := range e {
		e[n] = binary.NativeEndian.Uint32(data[n*4:])
	}
	return at, e, nil
}

// next checks that a key follows the one before it.
func (b *bounds) next(i int, key []byte) error {
	c := bytes.Compare(key, b.from)
	if i == 0 && c < 0 || i > 0 && c <= 0 || b.before != nil && bytes.Compare(key, b.before) >= 0 {
		return errors.New("its keys are not in order")
	}
	b.from = key
	return nil
}

func (r *run) branch(count int, buckets bool, b bounds) error {
	if count == 0 {
		return fmt.Errorf("page %d points nowhere", r.at/r.s.size)
	}
	keys, children := make([][]byte, count), make([]uint64, count)
	for i := range count {
		at, e, err := r.element(i)
		if err == nil {
			keys[i], err = r.bytes(at+int64(e[0]), int64(e[1]))
		}
		if err == nil {
			err = b.next(i, keys[i])
		}
		if err != nil {
			return fmt.Errorf("page %d, element %d: %w", r.at/r.s.size, i, err)
		}
		data, _ := r.bytes(at+8, 8) // was read with the element
		children[i] = binary.NativeEndian.Uint64(data)
	}
	for i, child := range children {
		within := bounds{keys[i], b.before}
		if i+1 < count {
			within.before = keys[i+1]
		}
		if err := r.s.tree(child, buckets, within); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) leaf(count int, buckets bool, b bounds) error {
	for i := range count {
		at, e, err := r.element(i)
		var key []byte
		if err == nil {
			key, err = r.bytes(at+int64(e[1]), int64(e[2]))
		}
		if err == nil {
			err = b.next(i, key)
		}
		value := at + int64(e[1]) + int64(e[2])
		if err == nil && value+int64(e[3]) > r.size {
			err = errors.New("its value lies outside its page")
		}
		switch {
		case err != nil:
		case e[0]&IsBucket == 0:
			if buckets {
				err = fmt.Errorf("%q is not a bucket", key[:min(len(key), 16)])
			}
		case !buckets:
			err = errors.New("it claims to be a bucket")
		default:
			err = r.bucket(value, int64(e[3]))
		}
		if err != nil {
			return fmt.Errorf("page %d, element %d: %w", r.at/r.s.size, i, err)
		}
	}
	return nil
}

// bucket looks at a bucket, whose page stands in the value itself where it is small.
func (r *run) bucket(at, size int64) error {
	value, err := r.bytes(at, size)
	if err != nil {
		return err
	}
	const header = 16
	if size < header {
		return errors.New("it is not a bucket")
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return r.s.tree(root, false, bounds{})
	}
	inline := run{r.s, r.at + at + header, size - header, value[header:]}
	if inline.size < PageHead || binary.NativeEndian.Uint16(inline.data[8:]) != LeafPage {
		return errors.New("it is not a small bucket")
	}
	return inline.leaf(int(binary.NativeEndian.Uint16(inline.data[10:])), false, bounds{})
}
