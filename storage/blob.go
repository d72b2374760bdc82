package storage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"plimsoll/conversation"
	"plimsoll/storage/pages"
)

// Rules of blobs:
//   - A blob is named by the SHA-256 of its text, in hexadecimal. A unique prefix
//     of at least eight digits is enough to find it.
//   - Its text is checked against its name whenever it is read.

// minBlobPrefix is the shortest prefix of a blob's name, in digits.
const minBlobPrefix = 8

// maxBlobSize is the longest text of a blob, in bytes, that can be read. It is far
// above what is ever stored, and bounds the memory that a damaged blob can take.
const maxBlobSize = 1 << 28

// The first byte of a stored blob.
const (
	blobRaw  = 'r'
	blobZstd = 'z'
)

// PutBlob stores text and returns its name. The same text is stored once. While the
// conversation has no file, the text is kept in memory.
func (w *Writer) PutBlob(ctx context.Context, text string) (string, error) {
	text = conversation.Clean(text)
	name := conversation.ContentHash(text)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.checkUsable(ctx); err != nil {
		return "", err
	}
	if w.knownBlobs[name] {
		return name, nil
	}
	if !w.stored {
		w.unstored.blobs[name] = text
		return name, nil
	}
	value := w.store.texts.pack(text)
	if err := w.update(ctx, "store a text", func(tx txn) error { return putBlob(tx, name, value) }); err != nil {
		return "", err
	}
	w.knownBlobs[name] = true
	return name, nil
}

// ReadBlob reads the text stored under a name, also while the conversation has no file; "" without an error if there is none, or
// if it is damaged.
func (w *Writer) ReadBlob(ctx context.Context, name string) (string, error) {
	w.mu.Lock()
	text, ok := w.unstored.blobs[name]
	stored := w.stored
	w.mu.Unlock()
	if ok || !stored {
		return text, nil
	}
	text, err := w.store.Blob(ctx, w.id, name)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrDamaged) {
		return "", nil
	}
	return text, err
}

// errUnchanged ends a transaction without a write. It is not an error of the caller.
var errUnchanged = errors.New("unchanged")

// putBlob stores a packed text. If it is stored already the error is errUnchanged; a damaged one is
// replaced.
func putBlob(tx txn, name string, value []byte) error {
	if stored, err := tx.get(bucketBlobs, []byte(name)); stored != nil && err == nil {
		return errUnchanged
	}
	return tx.put(bucketBlobs, []byte(name), value)
}

// Blob reads the text stored under name, or under a prefix of it of at least eight
// digits. ErrNotFound means that no blob matches, or several do; ErrDamaged means that the
// text does not match its name.
func (s *Store) Blob(ctx context.Context, id, name string) (string, error) {
	if err := s.dir.checkExists(id); err != nil {
		return "", err
	}
	missing := fmt.Errorf("text %q of conversation %s: %w", name, id, ErrNotFound)
	if len(name) < minBlobPrefix || len(name) > sha256.Size*2 {
		return "", missing
	}
	var full string
	var sealed bool
	var value []byte
	err := s.disk.view(ctx, s.dir.conversation(id), func(tx txn) error {
		c := tx.Bucket(bucketBlobs).Cursor()
		k, v := c.Seek([]byte(name))
		if !bytes.HasPrefix(k, []byte(name)) {
			return missing
		}
		full, sealed, value = string(k), tx.sealed, bytes.Clone(validLength(tx.Tx, v))
		if next, _ := c.Next(); bytes.HasPrefix(next, []byte(name)) {
			return fmt.Errorf("several texts begin with %q: %w", name, missing)
		}
		return nil
	})
	if err != nil {
		return "", asNotFound(id, err)
	}
	text, err := s.texts.unsealAndUnpack(full, value, sealed)
	if err != nil {
		return "", damaged(s.dir.conversation(id).path, err)
	}
	return text, nil
}

// compressor packs texts with zstd. Encoder and decoder take much memory and are created on first
// use. They have no goroutines and are never closed: closing a decoder while another goroutine
// reads with it would block that goroutine for ever. The zero value is ready to use.
type compressor struct {
	encoderOnce, decoderOnce sync.Once
	enc                      *zstd.Encoder // may be used by several goroutines, as dec
	dec                      *zstd.Decoder
	encErr, decErr           error
}

// minPacked is the length of the shortest text that is compressed, in bytes.
const minPacked = 128

// pack returns the stored form of text, without a seal: one byte for the encoding, and the encoded text.
func (c *compressor) pack(text string) []byte {
	if enc, err := c.encoder(); err == nil && len(text) >= minPacked {
		packed := enc.EncodeAll([]byte(text), []byte{blobZstd})
		if len(packed) <= len(text) {
			return packed
		}
	}
	return append([]byte{blobRaw}, text...)
}

// unsealAndUnpack returns the text of a stored value, with or without a seal.
func (c *compressor) unsealAndUnpack(name string, value []byte, sealed bool) (string, error) {
	if sealed {
		var err error
		if value, _, err = pages.Unseal(bucketBlobs, []byte(name), value); err != nil {
			return "", fmt.Errorf("text %s: %w", name, err)
		}
	}
	return c.unpackVerified(name, value)
}

// unpackByContent recovers a text whose key is damaged. It computes the name from the text, and checks that the seal
// matches that name. It returns the name and the packed text.
func (c *compressor) unpackByContent(sealed []byte) (name string, value []byte, err error) {
	text, err := c.unpack(sealed[:max(0, len(sealed)-pages.SealSize)], nil)
	if err != nil {
		return "", nil, err
	}
	name = conversation.ContentHash(string(text))
	value, _, err = pages.Unseal(bucketBlobs, []byte(name), sealed)
	return name, value, err
}

// unpackVerified unpacks a text and checks it against its name.
func (c *compressor) unpackVerified(name string, value []byte) (string, error) {
	if len(value) == 0 || value[0] != blobRaw && value[0] != blobZstd {
		return "", fmt.Errorf("text %s has the unknown encoding %q", name, value[:min(1, len(value))])
	}
	unpacked, err := c.unpack(value, nil)
	if err != nil {
		return "", fmt.Errorf("text %s: %w", name, err)
	}
	text := string(unpacked)
	if conversation.ContentHash(text) != name {
		return "", fmt.Errorf("text %s is not the one that was stored", name)
	}
	return text, nil
}

func (c *compressor) encoder() (*zstd.Encoder, error) {
	c.encoderOnce.Do(func() {
		c.enc, c.encErr = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
	})
	return c.enc, c.encErr
}

func (c *compressor) decoder() (*zstd.Decoder, error) {
	c.decoderOnce.Do(func() {
		c.dec, c.decErr = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxBlobSize))
	})
	return c.dec, c.decErr
}
