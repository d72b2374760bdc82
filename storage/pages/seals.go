// Package pages finds and corrects damage in bbolt files: in values by a checksum (seal), in the file headers by a copy
// of the newest one, and in the pages of the B+tree. It reads bytes, never a memory map.
package pages

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/bits"
)

// Rules of seals:
//   - Every value is stored with a checksum after it, its seal: CRC-32C of bucket name, key and
//     value. So a value under a wrong key is detected, too.
//   - CRC-32C detects up to three flipped bits in a value. So one flipped bit can be located and corrected,
//     and two flipped bits are never mistaken for one.

// SealSize is the length of a seal in bytes.
const SealSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errChecksum means that a value differs from the stored one and cannot be corrected.
var errChecksum = errors.New("its checksum is wrong")

// Seal appends the seal of value to value. The caller must not use value afterwards.
func Seal(bucket, key, value []byte) []byte {
	return binary.BigEndian.AppendUint32(value, checksum(bucket, key, value))
}

// Unseal checks and removes the seal of a value. corrected reports that one bit was wrong; value is then a
// corrected copy.
func Unseal(bucket, key, sealed []byte) (value []byte, corrected bool, err error) {
	if len(sealed) < SealSize {
		return nil, false, errChecksum
	}
	end := len(sealed) - SealSize
	value = sealed[:end:end]
	difference := checksum(bucket, key, value) ^ binary.BigEndian.Uint32(sealed[end:])
	if difference == 0 {
		return value, false, nil
	}
	if bits.OnesCount32(difference) == 1 {
		return value, true, nil // the wrong bit is in the seal itself
	}
	value, ok := correctBit(value, difference)
	if !ok {
		return nil, false, errChecksum
	}
	return value, true, nil
}

func checksum(bucket, key, value []byte) uint32 {
	crc := updateChecksum(updateChecksum(0, bucket), []byte{byte(len(key))})
	return crc32.Update(updateChecksum(crc, key), castagnoli, value)
}

// updateChecksum adds a few bytes to a checksum. Unlike crc32.Update it lets them stay on the stack.
func updateChecksum(crc uint32, data []byte) uint32 {
	crc = ^crc
	for _, b := range data {
		crc = castagnoli[byte(crc)^b] ^ crc>>8
	}
	return ^crc
}

// maxCorrectable is the longest value, in bytes, in which a flipped bit is corrected. In a long value, the checksum of
// many flipped bits may by chance be that of one: once in thirty times at this length. Up to 2^31 bits, each bit of a
// value changes the checksum differently.
const maxCorrectable = 16 << 20

// indexByTopByte gives the index of the entry of castagnoli with a certain highest byte.
var indexByTopByte = func() (of [256]byte) {
	for i, change := range castagnoli {
		of[change>>24] = byte(i)
	}
	return of
}()

// correctBit returns a copy of value with one bit flipped: the bit that changes the checksum by difference,
// an XOR. It reports false if no single bit does. It reverses the checksum byte by byte until one bit is left.
func correctBit(value []byte, difference uint32) ([]byte, bool) {
	if len(value) > maxCorrectable {
		return nil, false
	}
	for i := len(value) - 1; i >= 0; i-- {
		added := indexByTopByte[difference>>24]
		difference ^= castagnoli[added]
		if difference == 0 && bits.OnesCount8(added) == 1 {
			right := append([]byte(nil), value...)
			right[i] ^= added
			return right, true
		}
		difference = difference<<8 | uint32(added)
	}
	return nil, false
}
