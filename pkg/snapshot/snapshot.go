package snapshot

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"sync"

	"github.com/dpbandits/dpbandits/pkg/internal/copies"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

const (
	magic   = "dpbandits state\n"
	version = 1
	header  = len(magic) + 2 + 8 // the version, whether there is a key, the length of the payload
)

// Key is a secret under which states are saved, at best 32 random bytes. Only who knows it can make
// a state that loads under it. It does not encrypt.
type Key []byte

var (
	registering sync.Mutex
	registered  = []reflect.Type{reflect.TypeFor[*rand.PCG](), reflect.TypeFor[*rand.ChaCha8]()}
)

// Register makes the types of values known to Load. It is needed for a type that a learner holds in
// an interface some time after Reset, and that no field of any type of the learner's names. Load
// finds all others by itself.
func Register(values ...any) {
	registering.Lock()
	defer registering.Unlock()
	for _, v := range values {
		registered = append(registered, reflect.TypeOf(v))
	}
}

// Save writes the state of a learner, given by a pointer. It returns an error for one that has
// failed, and for what cannot be saved, with the path of the field.
//
// Call it between rounds, after Update. The state is as secret as the data.
func Save(w io.Writer, learner any) error { return Key(nil).Save(w, learner) }

// Load restores a state into a learner of the same type, tuning and problem, after its Init and
// Reset. If it returns an error, the learner is as it was. The streams that Reset was given, and a
// Ledger, are moved to where they were when the state was saved.
//
// It reads r to the end. Load a state once, or noise is drawn twice: see the package's comment.
func Load(r io.Reader, into any) error { return Key(nil).Load(r, into) }

// Save is [Save] with a checksum that only the key makes.
func (k Key) Save(w io.Writer, learner any) error {
	root, err := pointer(learner)
	if err != nil {
		return err
	}
	if l, ok := learner.(interface{ Err() error }); ok && l.Err() != nil {
		return fmt.Errorf("snapshot: a %T that has failed is not saved: %w", learner, l.Err())
	}
	payload, err := encode(root)
	if err != nil {
		return err
	}
	note(root)
	_, err = w.Write(k.seal(payload))
	return err
}

// note has the claims of a learner, and of its parts, say that a state of it exists.
func note(root reflect.Value) {
	planner := reflect.TypeFor[privacy.Planner]()
	for _, r := range discover(root).regions {
		if r.n == 1 && reflect.PointerTo(r.typ).Implements(planner) {
			copies.Note(r.ptr, r.typ)
		}
	}
}

// Load is [Load] of a state that was saved under the key.
func (k Key) Load(r io.Reader, into any) error {
	root, err := pointer(into)
	if err != nil {
		return err
	}
	state, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	payload, err := k.open(state)
	if err != nil {
		return err
	}
	if err := restore(payload, root); err != nil {
		return err
	}
	note(root)
	return nil
}

// flag is 1 if there is a key.
func (k Key) flag() byte {
	if len(k) > 0 {
		return 1
	}
	return 0
}

func (k Key) sum(b []byte) []byte {
	mac := hmac.New(sha256.New, k)
	mac.Write(b)
	return mac.Sum(nil)
}

// seal makes a state of its payload.
func (k Key) seal(payload []byte) []byte {
	state := append(make([]byte, 0, header+len(payload)+sha256.Size), magic...)
	state = append(state, version, k.flag())
	state = binary.LittleEndian.AppendUint64(state, uint64(len(payload)))
	state = append(state, payload...)
	return append(state, k.sum(state)...)
}

// open checks the bytes of a state and returns its payload.
func (k Key) open(state []byte) ([]byte, error) {
	if len(state) < header {
		if !bytes.HasPrefix(state, []byte(magic)[:min(len(state), len(magic))]) {
			return nil, fmt.Errorf("snapshot: not a state: it begins with %q, want %q", state, magic)
		}
		return nil, fmt.Errorf("snapshot: the state is truncated: %d bytes, want >= %d", len(state), header+sha256.Size)
	}
	if string(state[:len(magic)]) != magic {
		return nil, fmt.Errorf("snapshot: not a state: it begins with %q, want %q", state[:len(magic)], magic)
	}
	v, flag := state[len(magic)], state[len(magic)+1]
	if v != version {
		return nil, fmt.Errorf("snapshot: a state of version %d, want %d", v, version)
	}
	if flag != k.flag() {
		with := map[byte]string{0: "no key", 1: "a key"}
		return nil, fmt.Errorf("snapshot: the state has %s, and Load was given %s", with[min(flag, 1)], with[k.flag()])
	}
	want := binary.LittleEndian.Uint64(state[header-8:])
	have := uint64(len(state) - header)
	switch {
	case have < sha256.Size || have-sha256.Size < want:
		return nil, fmt.Errorf("snapshot: the state is truncated: %d bytes after the header, want %d more than %d", have, sha256.Size, want)
	case have-sha256.Size > want:
		return nil, fmt.Errorf("snapshot: %d bytes follow the state, want none", have-sha256.Size-want)
	}
	end := len(state) - sha256.Size
	if !hmac.Equal(state[end:], k.sum(state[:end])) {
		if k.flag() == 1 {
			return nil, fmt.Errorf("snapshot: the checksum is wrong: the state was changed, or saved under another key")
		}
		return nil, fmt.Errorf("snapshot: the checksum is wrong: the state was changed")
	}
	return state[header:end], nil
}

// pointer returns the pointer to a struct that a learner is.
func pointer(learner any) (reflect.Value, error) {
	v := reflect.ValueOf(learner)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem().Size() == 0 {
		return v, fmt.Errorf("snapshot: a %T = %v, want a pointer to something with fields", learner, learner)
	}
	return v, nil
}
