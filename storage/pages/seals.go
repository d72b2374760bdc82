// Package pages finds damage in the files of bbolt: in values by their seals, in heads by
// their copies, and in the pages that lead to others. It reads bytes, never the map of a file.
package pages

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/bits"
)

// Rules of seals:
//   - Every value is stored with a checksum behind it, its seal: CRC-32C of the names of
//     bucket and key and of the value. So a value under a wrong key is noticed, too.
//   - CRC-32C tells any three wrong bits of a value from none. One wrong bit can
//     therefore be found and set right, and two are never taken for one.

// SealSize is how many bytes a seal takes.
const SealSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errSeal says that a value is not the one that was stored.
var errSeal = errors.New("its checksum is wrong")

// Seal appends the seal of value to value, which is given up.
func Seal(bucket, key, value []byte) []byte {
	return binary.BigEndian.AppendUint32(value, sum(bucket, key, value))
}

// Unseal returns what was sealed. Mended says that a bit was wrong and was set right,
// in a copy.
func Unseal(bucket, key, sealed []byte) (value []byte, mended bool, err error) {
	if len(sealed) < SealSize {
		return nil, false, errSeal
	}
	end := len(sealed) - SealSize
	value = sealed[:end:end]
	wrong := sum(bucket, key, value) ^ binary.BigEndian.Uint32(sealed[end:])
	if wrong == 0 {
		return value, false, nil
	}
	if bits.OnesCount32(wrong) == 1 {
		return value, true, nil // the bit is one of the seal
	}
	value, ok := setRight(value, wrong)
	if !ok {
		return nil, false, errSeal
	}
	return value, true, nil
}

// sum is the checksum of a value in its place.
func sum(bucket, key, value []byte) uint32 {
	crc := mix(mix(0, bucket), []byte{byte(len(key))})
	return crc32.Update(mix(crc, key), castagnoli, value)
}

// mix adds a few bytes to a checksum. Unlike that of the library it keeps them on the
// stack.
func mix(crc uint32, data []byte) uint32 {
	crc = ^crc
	for _, b := range data {
		crc = castagnoli[byte(crc)^b] ^ crc>>8
	}
	return ^crc
}

// mendable is the longest value in which a wrong bit is set right. The longer a value,
// the more bits there are of which one fits many wrong ones by chance: one in thirty
// times at this length. Up to 2^31 bits each bit of a value changes the checksum differently.
const mendable = 16 << 20

// place is the entry of castagnoli with a first byte.
var place = func() (of [256]byte) {
	for i, change := range castagnoli {
		of[change>>24] = byte(i)
	}
	return of
}()

// setRight returns value with the one bit changed that changes its checksum by wrong;
// false if there is none. It reverses the checksum byte by byte until only one bit
// is left.
func setRight(value []byte, wrong uint32) ([]byte, bool) {
	if len(value) > mendable {
		return nil, false
	}
	for i := len(value) - 1; i >= 0; i-- {
		added := place[wrong>>24]
		wrong ^= castagnoli[added]
		if wrong == 0 && bits.OnesCount8(added) == 1 {
			right := append([]byte(nil), value...)
			right[i] ^= added
			return right, true
		}
		wrong = wrong<<8 | uint32(added)
	}
	return nil, false
}
