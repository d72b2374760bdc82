package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"os"
	"slices"
)

// Rules of file headers:
//   - bbolt keeps two file headers (its meta pages), in pages 0 and 1, and each commit replaces the older one. The
//     newer valid header determines what the file contains. If the newest header is damaged, bbolt silently uses the
//     older one, and the newest transaction is lost.
//   - So a copy of the newest header is stored in the page of the older one, after the bytes that bbolt uses.
//     It is written after each commit under the same lock, and not synced. If it is missing, the file is as safe as
//     any bbolt file. bbolt erases the copy whenever it writes that page, so a copy is never more than one commit
//     older than the other header.
//   - A copy that is newer than both headers means that the newest header is damaged. The header is
//     restored from the copy before the file is used, and nothing is lost.

const (
	headerOffset = 16  // of the header in its page
	headerSize   = 64  // its last 8 bytes are a checksum
	copyOffset   = 512 // of the copy in a page: another sector than the header, and a place that bbolt never reads
)

// copyMark begins the copy of a header.
const copyMark = "Plimhead"

// copySize is the length of mark, header, number of the newest event, and checksum.
const copySize = len(copyMark) + headerSize + 8 + 4

// header is a file header as bbolt stores it.
type header struct{ raw [headerSize]byte }

// PageSize is the size of the file's pages in bytes.
func (h *header) PageSize() int64 { return int64(binary.NativeEndian.Uint32(h.raw[8:])) }

// Commit is the number of the transaction that wrote h.
func (h *header) Commit() uint64 { return binary.NativeEndian.Uint64(h.raw[48:]) }

// offset is the offset of h's page in the file.
func (h *header) offset() int64 { return int64(h.Commit()%2) * h.PageSize() }

// isSound reports whether h is a valid bbolt header with the right checksum.
func (h *header) isSound() bool {
	const magic, version = 0xED0CDAED, 2
	if binary.NativeEndian.Uint32(h.raw[:]) != magic || binary.NativeEndian.Uint32(h.raw[4:]) != version {
		return false
	}
	check := fnv.New64a()
	_, _ = check.Write(h.raw[:headerSize-8]) // a hash never fails
	return check.Sum64() == binary.NativeEndian.Uint64(h.raw[headerSize-8:]) && h.PageSize() >= 1024
}

// headers are the two headers of a file and their copies, nil where one is missing or invalid.
type headers struct {
	Pages   [2]*header
	copies  [2]*header
	damaged [2]*header // the bytes at the place of an invalid header
}

// ReadHeaders reads the headers of a file and their copies. All are nil in a file that is too short.
func ReadHeaders(f *os.File) (h headers) {
	h.readPage(f, 0, 0)
	sizes := []int64{int64(os.Getpagesize()), 4096, 16384, 65536}
	for _, known := range []*header{h.copies[0], h.Pages[0]} {
		if known != nil {
			sizes = []int64{known.PageSize()}
		}
	}
	for _, size := range sizes {
		if h.readPage(f, 1, size); h.Pages[1] != nil || h.copies[1] != nil {
			break
		}
	}
	return h
}

// readPage reads the header and the copy in page n, which begins at offset at.
func (h *headers) readPage(f *os.File, n int, at int64) {
	var page [copyOffset + copySize]byte
	if _, err := f.ReadAt(page[:], at); err != nil {
		return
	}
	found := &header{raw: [headerSize]byte(page[headerOffset:])}
	if found.isSound() && [headerOffset]byte(page[:]) == pageStart(found.Commit()) {
		h.Pages[n], h.damaged[n] = found, nil
	} else {
		h.damaged[n] = found
	}
	stored := page[copyOffset:]
	end := len(stored) - 4
	if string(stored[:len(copyMark)]) != copyMark ||
		crc32.Checksum(stored[:end], castagnoli) != binary.BigEndian.Uint32(stored[end:]) {
		return
	}
	copied := &header{raw: [headerSize]byte(stored[len(copyMark):])}
	if copied.isSound() {
		h.copies[n] = copied
	}
}

// NewestHeader returns the header with the higher commit number, nil if both are nil.
func NewestHeader(of [2]*header) *header {
	if of[0] == nil || of[1] != nil && of[1].Commit() > of[0].Commit() {
		return of[1]
	}
	return of[0]
}

// RestorableHeader returns the newest header if it is damaged in its page, but can be restored from its copy or by
// correcting one bit. It returns nil if bbolt can read the newest header, or if nothing can restore it.
func (h *headers) RestorableHeader() *header {
	newest, copied := NewestHeader(h.Pages), NewestHeader(h.copies)
	switch {
	case copied != nil && (newest == nil || copied.Commit() > newest.Commit()):
		return copied
	case copied != nil || newest == nil:
		return nil
	}
	broken := h.damaged[1-newest.Commit()%2]
	if broken == nil {
		return nil
	}
	if broken.isSound() && broken.Commit() == newest.Commit()+1 {
		return broken // only the page header before it is damaged
	}
	for bit := range headerSize * 8 {
		broken.raw[bit/8] ^= 1 << (bit % 8)
		if broken.isSound() && broken.Commit() == newest.Commit()+1 && broken.PageSize() == newest.PageSize() {
			return broken
		}
		broken.raw[bit/8] ^= 1 << (bit % 8)
	}
	return nil
}

// MayHaveLostCommit reports whether one header is damaged, and nothing shows whether it was the newer one.
func (h *headers) MayHaveLostCommit() bool {
	newest := NewestHeader(h.Pages)
	return newest != nil && NewestHeader(h.copies) == nil && h.damaged[1-newest.Commit()%2] != nil && h.RestorableHeader() == nil
}

// pageStart is the page header that bbolt writes before a file header.
func pageStart(commit uint64) (frame [headerOffset]byte) {
	const isMeta = 4
	binary.NativeEndian.PutUint64(frame[:], commit%2)
	binary.NativeEndian.PutUint16(frame[8:], isMeta)
	return frame
}

// WriteHeader writes a header into its page and syncs the file.
func WriteHeader(f *os.File, h *header) error {
	page := pageStart(h.Commit())
	if _, err := f.WriteAt(append(page[:], h.raw[:]...), h.offset()); err != nil {
		return fmt.Errorf("write its newest head back: %w", err)
	}
	return f.Sync()
}

// WriteHeaderCopy copies the header of a commit just made into the page of the other header. lastEvent is the number
// of the newest event. An error does not affect the commit.
func WriteHeaderCopy(f *os.File, pageSize int, commit, lastEvent uint64) error {
	var h header
	if _, err := f.ReadAt(h.raw[:], int64(commit%2)*int64(pageSize)+headerOffset); err != nil {
		return err
	}
	if !h.isSound() || h.Commit() != commit {
		return errors.New("the head of this commit is not there")
	}
	data := slices.Concat([]byte(copyMark), h.raw[:])
	data = binary.BigEndian.AppendUint64(data, lastEvent)
	data = binary.BigEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
	_, err := f.WriteAt(data, int64(1-commit%2)*int64(pageSize)+copyOffset)
	return err
}
