package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Verify checks the B+tree pages of a bbolt file. Rules:
//   - bbolt trusts its pages. A wrong page number can make it loop for ever, or write new events over
//     old ones.
//   - So a file is verified before its first use and by doctor. Each page must have exactly one use, and keys must be
//     in order. To read a file, it is enough that the branch pages and the bucket list are valid.
//   - Pages are read into our own memory, without a memory map. Every number is compared with the size of the file
//     before it is used, so damage is an error and never a fault.

// Flags of pages and elements, and sizes in bytes, as bbolt defines them.
const (
	branchPageFlag   = 0x01
	LeafPageFlag     = 0x02
	freelistPageFlag = 0x10

	PageHeaderSize = 16
	ElementSize    = 16
	BucketFlag     = 1 // flag of an element
)

// verifier verifies the pages of one file.
type verifier struct {
	file io.ReaderAt
	size int64  // bytes of a page
	end  uint64 // number of pages
	used []bool // by page number
	all  bool   // also verify the leaves, the freelist, and that each page is used or free

	window     []byte // the bytes read last, which often hold the next page
	windowFrom int64  // offset of window in the file
}

// windowSize is how many bytes one read call fetches. The pages of a conversation are mostly consecutive, and one call
// for each page would cost more than reading a few pages too many.
const windowSize = 128 << 10

// page is a page with its decoded header. Its overflow pages, which continue it, follow it in the file.
type page struct {
	id       uint64
	flags    uint16
	count    int
	overflow uint64 // number of its overflow pages
	data     []byte // without the overflow pages; valid until the next page is read
}

// Verify checks the pages that can be reached from header h; with all, it checks every page of the file.
func Verify(f io.ReaderAt, h *header, all bool) error {
	s := verifier{file: f, size: h.PageSize(), end: binary.NativeEndian.Uint64(h.raw[40:]), all: all}
	const most = 1 << 36 // pages, far more than any file has
	if s.end < 4 || s.end > most/uint64(s.size) {
		return fmt.Errorf("it has %d pages", s.end)
	}
	if n, err := f.ReadAt(make([]byte, 1), int64(s.end)*s.size-1); n != 1 {
		return fmt.Errorf("its last pages are missing: %w", err)
	}
	s.used = make([]bool, s.end)
	s.used[0], s.used[1] = true, true
	if all { // a transaction that only reads does not use the freelist
		if err := s.verifyFreelist(binary.NativeEndian.Uint64(h.raw[32:])); err != nil {
			return err
		}
	}
	if err := s.verifyTree(binary.NativeEndian.Uint64(h.raw[16:]), true, keyRange{}); err != nil {
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

// readPage reads page id, checks that its type is one of the wanted flags, and marks it and its overflow pages as used.
func (s *verifier) readPage(id uint64, wanted uint16) (page, error) {
	if id < 2 || id >= s.end {
		return page{}, fmt.Errorf("page %d is not in the file", id)
	}
	data, err := s.readAt(int64(id) * s.size)
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
	return p, s.markUsed(id, p.overflow+1)
}

// readAt returns the page at an offset of the file. The bytes are valid until the next call.
func (s *verifier) readAt(at int64) ([]byte, error) {
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

// markUsed marks n pages from id on as used. A page that is used already is an error.
func (s *verifier) markUsed(id, n uint64) error {
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

// verifyFreelist checks the list of free pages, and marks them as used.
func (s *verifier) verifyFreelist(id uint64) error {
	p, err := s.readPage(id, freelistPageFlag)
	if err != nil {
		return err
	}
	count, at := uint64(p.count), int64(PageHeaderSize)
	if p.count == 0xFFFF { // the list is long: its first element is the count
		count, at = binary.NativeEndian.Uint64(p.data[PageHeaderSize:]), PageHeaderSize+8
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
		if err := s.markUsed(free, 1); err != nil {
			return err
		}
		last = free
	}
	return nil
}

// keyRange is the range that the keys of a page must be in. It includes from and excludes before.
type keyRange struct{ from, before []byte }

// verifyTree checks page id and all pages below it. buckets means that it is the tree whose values are the buckets.
func (s *verifier) verifyTree(id uint64, buckets bool, b keyRange) error {
	p, err := s.readPage(id, branchPageFlag|LeafPageFlag)
	if err != nil && !s.all && p.data != nil && p.id != id {
		return nil // bbolt itself refuses a page with a wrong number, and can read the pages around it
	}
	if err != nil {
		return err
	}
	if p.flags == LeafPageFlag && !buckets {
		if !s.all {
			return nil
		}
		run := pageReader{s, int64(id) * s.size, int64(p.overflow+1) * s.size, p.data}
		return run.verifyLeaf(p.count, false, b)
	}
	// The data is cloned because the pages below are read before the last use of it.
	run := pageReader{s, int64(id) * s.size, int64(p.overflow+1) * s.size, bytes.Clone(p.data)}
	if p.flags == LeafPageFlag {
		return run.verifyLeaf(p.count, true, b)
	}
	return run.verifyBranch(p.count, buckets, b)
}

// pageReader reads a page with its overflow pages, or a bucket that is stored inline in a value.
type pageReader struct {
	verifier *verifier
	at, size int64  // offset and length in the file
	data     []byte // the first bytes, already read
}

func (r *pageReader) read(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > r.size || n > r.size-at {
		return nil, errors.New("it points outside its page")
	}
	if at+n <= int64(len(r.data)) {
		return r.data[at : at+n], nil
	}
	read := make([]byte, n)
	_, err := r.verifier.file.ReadAt(read, r.at+at)
	return read, err
}

// element reads the four numbers of element i of the page. at is the element's offset in the page.
func (r *pageReader) element(i int) (at int64, e [4]uint32, err error) {
	at = PageHeaderSize + int64(i)*ElementSize
	data, err := r.read(at, ElementSize)
	if err != nil {
		return at, e, err
	}
	for n := range e {
		e[n] = binary.NativeEndian.Uint32(data[n*4:])
	}
	return at, e, nil
}

// checkKey checks that key i of a page is in the range and above the key before it.
func (b *keyRange) checkKey(i int, key []byte) error {
	c := bytes.Compare(key, b.from)
	if i == 0 && c < 0 || i > 0 && c <= 0 || b.before != nil && bytes.Compare(key, b.before) >= 0 {
		return errors.New("its keys are not in order")
	}
	b.from = key
	return nil
}

func (r *pageReader) verifyBranch(count int, buckets bool, b keyRange) error {
	if count == 0 {
		return fmt.Errorf("page %d points nowhere", r.at/r.verifier.size)
	}
	keys, children := make([][]byte, count), make([]uint64, count)
	for i := range count {
		at, e, err := r.element(i)
		if err == nil {
			keys[i], err = r.read(at+int64(e[0]), int64(e[1]))
		}
		if err == nil {
			err = b.checkKey(i, keys[i])
		}
		if err != nil {
			return fmt.Errorf("page %d, element %d: %w", r.at/r.verifier.size, i, err)
		}
		data, _ := r.read(at+8, 8) // cannot fail: element has read these bytes
		children[i] = binary.NativeEndian.Uint64(data)
	}
	for i, child := range children {
		within := keyRange{keys[i], b.before}
		if i+1 < count {
			within.before = keys[i+1]
		}
		if err := r.verifier.verifyTree(child, buckets, within); err != nil {
			return err
		}
	}
	return nil
}

func (r *pageReader) verifyLeaf(count int, buckets bool, b keyRange) error {
	for i := range count {
		at, e, err := r.element(i)
		var key []byte
		if err == nil {
			key, err = r.read(at+int64(e[1]), int64(e[2]))
		}
		if err == nil {
			err = b.checkKey(i, key)
		}
		value := at + int64(e[1]) + int64(e[2])
		if err == nil && value+int64(e[3]) > r.size {
			err = errors.New("its value lies outside its page")
		}
		switch {
		case err != nil:
		case e[0]&BucketFlag == 0:
			if buckets {
				err = fmt.Errorf("%q is not a bucket", key[:min(len(key), 16)])
			}
		case !buckets:
			err = errors.New("it claims to be a bucket")
		default:
			err = r.verifyBucket(value, int64(e[3]))
		}
		if err != nil {
			return fmt.Errorf("page %d, element %d: %w", r.at/r.verifier.size, i, err)
		}
	}
	return nil
}

// verifyBucket checks the bucket stored in a value: a tree of its own, or for a small bucket one page inside the value.
func (r *pageReader) verifyBucket(at, size int64) error {
	value, err := r.read(at, size)
	if err != nil {
		return err
	}
	const header = 16
	if size < header {
		return errors.New("it is not a bucket")
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return r.verifier.verifyTree(root, false, keyRange{})
	}
	inline := pageReader{r.verifier, r.at + at + header, size - header, value[header:]}
	if inline.size < PageHeaderSize || binary.NativeEndian.Uint16(inline.data[8:]) != LeafPageFlag {
		return errors.New("it is not a small bucket")
	}
	return inline.verifyLeaf(int(binary.NativeEndian.Uint16(inline.data[10:])), false, keyRange{})
}
