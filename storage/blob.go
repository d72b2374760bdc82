package storage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"plimsoll/conversation"
	"plimsoll/storage/pages"
)

// Rules of blobs:
//   - A blob is named by the SHA-256 of its text, in hexadecimal; a beginning
//     of at least eight digits names it where it is the only one.
//   - Its text is checked against its name whenever it is read.

// minBlobName is how much of a blob's name has to be given.
const minBlobName = 8

// maxBlob is the longest text a blob may hold when it is read, in bytes: far
// above what is ever stored, so that damage cannot ask for all the memory.
const maxBlob = 1 << 28

// The first byte of a stored blob.
const (
	blobRaw  = 'r'
	blobZstd = 'z'
)

// blobName is the name of text.
func blobName(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// PutBlob stores text and returns its name. The same text is stored once. With
// a conversation that has no file yet the text is kept in memory until it has.
func (w *Writer) PutBlob(ctx context.Context, text string) (string, error) {
	text = conversation.Clean(text)
	name := blobName(text)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(ctx); err != nil {
		return "", err
	}
	if w.known[name] {
		return name, nil
	}
	if !w.stored {
		w.early.blobs[name] = text
		return name, nil
	}
	value := w.store.blobs.text.pack(text)
	err := w.store.disk.update(ctx, w.file(), func(tx txn) error { return putBlob(tx, name, value) })
	if err != nil && !errors.Is(err, errUnchanged) {
		return "", fmt.Errorf("store text in conversation %s: %w", w.id, gone(w.id, err))
	}
	w.known[name] = true
	return name, nil
}

// errUnchanged ends a transaction that has nothing to write.
var errUnchanged = errors.New("unchanged")

// putBlob stores a packed text, errUnchanged if it is there. One that is damaged is
// replaced.
func putBlob(tx txn, name string, value []byte) error {
	if stored, err := tx.get(bucketBlobs, []byte(name)); stored != nil && err == nil {
		return errUnchanged
	}
	return tx.put(bucketBlobs, []byte(name), value)
}

// Blob reads the text stored under name, which may be shortened to eight
// digits. No such blob, or several, is ErrNotFound; one whose text does not
// match its name is ErrDamaged.
func (s *Store) Blob(ctx context.Context, id, name string) (string, error) {
	return s.blobs.get(ctx, id, name)
}

// blobs reads the texts of conversations.
type blobs struct {
	dir  directory
	disk *disk
	text compressor
}

// get reads the text that is stored under name in a conversation.
func (b *blobs) get(ctx context.Context, id, name string) (string, error) {
	if err := b.dir.exists(id); err != nil {
		return "", err
	}
	missing := fmt.Errorf("text %q of conversation %s: %w", name, id, ErrNotFound)
	if len(name) < minBlobName || len(name) > sha256.Size*2 {
		return "", missing
	}
	var full string
	var sealed bool
	var value []byte
	err := b.disk.view(ctx, b.dir.conversation(id), func(tx txn) error {
		c := tx.Bucket(bucketBlobs).Cursor()
		k, v := c.Seek([]byte(name))
		if !bytes.HasPrefix(k, []byte(name)) {
			return missing
		}
		full, sealed, value = string(k), tx.sealed, bytes.Clone(within(tx.Tx, v))
		if next, _ := c.Next(); bytes.HasPrefix(next, []byte(name)) {
			return fmt.Errorf("several texts begin with %q: %w", name, missing)
		}
		return nil
	})
	if err != nil {
		return "", gone(id, err)
	}
	text, err := b.text.opened(full, value, sealed)
	if err != nil {
		return "", damaged(b.dir.conversation(id).path, err)
	}
	return text, nil
}

// compressor packs texts. Its machinery takes memory and is made when it is
// first needed. It has no goroutines and is never closed: closing a decoder that
// somebody is still reading with would leave that reader waiting for ever. The
// zero value is ready.
type compressor struct {
	mu  sync.Mutex // guards the fields below; the coders themselves may be shared
	enc *zstd.Encoder
	dec *zstd.Decoder
}

// shortest text worth compressing, in bytes.
const packFrom = 128

// pack returns the stored form of text.
func (c *compressor) pack(text string) []byte {
	if enc, err := c.encoder(); err == nil && len(text) >= packFrom {
		packed := enc.EncodeAll([]byte(text), []byte{blobZstd})
		if len(packed) <= len(text) {
			return packed
		}
	}
	return append([]byte{blobRaw}, text...)
}

// opened returns the text of what is stored, with or without a seal.
func (c *compressor) opened(name string, value []byte, sealed bool) (string, error) {
	if sealed {
		var err error
		if value, _, err = pages.Unseal(bucketBlobs, []byte(name), value); err != nil {
			return "", fmt.Errorf("text %s: %w", name, err)
		}
	}
	return c.open(name, value)
}

// renamed returns the name and the stored form of a text whose key is damaged: its own
// name, under which its seal fits.
func (c *compressor) renamed(sealed []byte) (name string, value []byte, err error) {
	text, err := c.unpack(sealed[:max(0, len(sealed)-pages.SealSize)], nil)
	if err != nil {
		return "", nil, err
	}
	name = blobName(string(text))
	value, _, err = pages.Unseal(bucketBlobs, []byte(name), sealed)
	return name, value, err
}

// open returns the text of a stored form and checks it against its name.
func (c *compressor) open(name string, value []byte) (string, error) {
	if len(value) == 0 {
		return "", fmt.Errorf("text %s has no encoding", name)
	}
	text := value[1:]
	switch value[0] {
	case blobRaw:
	case blobZstd:
		dec, err := c.decoder()
		if err == nil {
			text, err = dec.DecodeAll(text, nil)
		}
		if err != nil {
			return "", fmt.Errorf("text %s: %w", name, err)
		}
	default:
		return "", fmt.Errorf("text %s has the unknown encoding %q", name, value[0])
	}
	sum := sha256.Sum256(text)
	if hex.EncodeToString(sum[:]) != name {
		return "", fmt.Errorf("text %s is not the one that was stored", name)
	}
	return string(text), nil
}

func (c *compressor) encoder() (*zstd.Encoder, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.enc != nil {
		return c.enc, nil
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
	c.enc = enc
	return enc, err
}

func (c *compressor) decoder() (*zstd.Decoder, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dec != nil {
		return c.dec, nil
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxBlob))
	c.dec = dec
	return dec, err
}
