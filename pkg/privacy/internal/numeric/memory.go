package numeric

import "sync"

// Memory remembers what was computed of keys. It is for several goroutines, and its zero value is
// empty.
type Memory[K comparable, V any] struct {
	mutex sync.Mutex
	known map[K]V
}

// mostRemembered limits a memory.
const mostRemembered = 1 << 12

// Recall returns the value of a key, and computes it if it is new. Errors are not remembered. When
// there is no room for a value, all are forgotten.
func (m *Memory[K, V]) Recall(key K, compute func() (V, error)) (V, error) {
	m.mutex.Lock()
	v, ok := m.known[key]
	m.mutex.Unlock()
	if ok {
		return v, nil
	}
	v, err := compute()
	if err != nil {
		return v, err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.known == nil || len(m.known) == mostRemembered {
		m.known = map[K]V{}
	}
	m.known[key] = v
	return v, nil
}
