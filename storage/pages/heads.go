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

// Rules of heads:
//   - bbolt keeps two heads (it calls them meta pages) and writes them in turn: what a
//     file holds is what the newer sound one leads to. Where that one is damaged bbolt
//     takes the older one and says nothing, and the newest transaction is gone.
//   - So a copy of the newest head, its spare, stands in the page of the other one,
//     behind what bbolt uses of that page. It is written after each commit under the
//     same lock, and not synced: until the next commit it may be missing, and the file
//     is as safe as without it. bbolt clears it with the page it stands in, so that it
//     is never older than the other head by more than the commit in between.
//   - A spare that is newer than both heads says that the newest is damaged. It is
//     written back from the spare before the file is used. Nothing is lost then.

const (
	headAt   = 16  // of a head in its page
	headSize = 64  // of which the last 8 bytes are a checksum
	spareAt  = 512 // of a spare in a page: another sector than the head, no place where bbolt looks for one
)

// spareMark is how a spare begins.
const spareMark = "Plimhead"

// spareSize is mark, head, number of the newest event, checksum.
const spareSize = len(spareMark) + headSize + 8 + 4

// head is where a file begins, as it is stored.
type head struct {
	raw  [headSize]byte
	last uint64 // newest event, of a spare
}

func (h *head) PageSize() int64 { return int64(binary.NativeEndian.Uint32(h.raw[8:])) }

// Commit is the number of the transaction that wrote h.
func (h *head) Commit() uint64 { return binary.NativeEndian.Uint64(h.raw[48:]) }

// page is where in the file h belongs.
func (h *head) page() int64 { return int64(h.Commit()%2) * h.PageSize() }

// sound reports whether h is as bbolt wrote it.
func (h *head) sound() bool {
	const magic, version = 0xED0CDAED, 2
	if binary.NativeEndian.Uint32(h.raw[:]) != magic || binary.NativeEndian.Uint32(h.raw[4:]) != version {
		return false
	}
	check := fnv.New64a()
	_, _ = check.Write(h.raw[:headSize-8]) // a hash never fails
	return check.Sum64() == binary.NativeEndian.Uint64(h.raw[headSize-8:]) && h.PageSize() >= 1024
}

// heads are those of a file, nil where one is not sound or not there.
type heads struct {
	Pages  [2]*head
	spares [2]*head
	broken [2]*head // what stands where a head is not sound
}

// ReadHeads reads the heads of a file. A file that is too short has no heads.
func ReadHeads(f *os.File) (h heads) {
	h.read(f, 0, 0)
	sizes := []int64{int64(os.Getpagesize()), 4096, 16384, 65536}
	for _, known := range []*head{h.spares[0], h.Pages[0]} {
		if known != nil {
			sizes = []int64{known.PageSize()}
		}
	}
	for _, size := range sizes {
		if h.read(f, 1, size); h.Pages[1] != nil || h.spares[1] != nil {
			break
		}
	}
	return h
}

// read reads the heads in page n.
func (h *heads) read(f *os.File, n int, at int64) {
	var page [spareAt + spareSize]byte
	if _, err := f.ReadAt(page[:], at); err != nil {
		return
	}
	found := &head{raw: [headSize]byte(page[headAt:])}
	if found.sound() && [headAt]byte(page[:]) == framed(found.Commit()) {
		h.Pages[n], h.broken[n] = found, nil
	} else {
		h.broken[n] = found
	}
	spare := page[spareAt:]
	end := len(spare) - 4
	if string(spare[:len(spareMark)]) != spareMark ||
		crc32.Checksum(spare[:end], castagnoli) != binary.BigEndian.Uint32(spare[end:]) {
		return
	}
	copied := &head{raw: [headSize]byte(spare[len(spareMark):]), last: binary.BigEndian.Uint64(spare[end-8:])}
	if copied.sound() {
		h.spares[n] = copied
	}
}

// Newest is the newest of some heads, nil without any.
func Newest(of [2]*head) *head {
	if of[0] == nil || of[1] != nil && of[1].Commit() > of[0].Commit() {
		return of[1]
	}
	return of[0]
}

// Hidden is the newest head if the file has it no longer, but its spare, or its own
// page but for one bit; nil if bbolt finds it.
func (h *heads) Hidden() *head {
	there, spare := Newest(h.Pages), Newest(h.spares)
	switch {
	case spare != nil && (there == nil || spare.Commit() > there.Commit()):
		return spare
	case spare != nil || there == nil:
		return nil
	}
	broken := h.broken[1-there.Commit()%2]
	if broken == nil {
		return nil
	}
	if broken.sound() && broken.Commit() == there.Commit()+1 {
		return broken // what stands before it in its page is wrong
	}
	for bit := range headSize * 8 {
		broken.raw[bit/8] ^= 1 << (bit % 8)
		if broken.sound() && broken.Commit() == there.Commit()+1 && broken.PageSize() == there.PageSize() {
			return broken
		}
		broken.raw[bit/8] ^= 1 << (bit % 8)
	}
	return nil
}

// Doubtful reports whether one head is damaged and nothing tells which one it was.
func (h *heads) Doubtful() bool {
	there := Newest(h.Pages)
	return there != nil && Newest(h.spares) == nil && h.broken[1-there.Commit()%2] != nil && h.Hidden() == nil
}

// framed is what stands before a head in its page.
func framed(commit uint64) (frame [headAt]byte) {
	const isMeta = 4
	binary.NativeEndian.PutUint64(frame[:], commit%2)
	binary.NativeEndian.PutUint16(frame[8:], isMeta)
	return frame
}

// PutBack writes a hidden head into its page, on disk when it returns.
func PutBack(f *os.File, h *head) error {
	page := framed(h.Commit())
	if _, err := f.WriteAt(append(page[:], h.raw[:]...), h.page()); err != nil {
		return fmt.Errorf("write its newest head back: %w", err)
	}
	return f.Sync()
}

// KeepSpare copies the head of a commit that was just made into the page of the other
// one. Not being able to is no reason for that commit to fail.
func KeepSpare(f *os.File, pageSize int, commit, last uint64) error {
	h := head{last: last}
	if _, err := f.ReadAt(h.raw[:], int64(commit%2)*int64(pageSize)+headAt); err != nil {
		return err
	}
	if !h.sound() || h.Commit() != commit {
		return errors.New("the head of this commit is not there")
	}
	spare := slices.Concat([]byte(spareMark), h.raw[:])
	spare = binary.BigEndian.AppendUint64(spare, last)
	spare = binary.BigEndian.AppendUint32(spare, crc32.Checksum(spare, castagnoli))
	_, err := f.WriteAt(spare, int64(1-commit%2)*int64(pageSize)+spareAt)
	return err
}
