package demo

import (
	"context"
	_ "embed" // the stage
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/config"
)

//go:embed stage.yaml
var stage string

// writeStage writes the configuration of the server into a folder and reads it.
func writeStage(folder string, r *receiver) (*config.File, error) {
	path := filepath.Join(folder, "outlast.yaml")
	text := strings.NewReplacer("{mail}", r.mail, "{books}", r.books).Replace(stage)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil, err
	}
	return config.Read(path)
}

// The remote worker: a program apart from the server, that asks it for work.
const (
	workerName = "image-worker-1"
	imageTime  = 300 * time.Millisecond
	badImage   = 6 // one of so many fails at its first attempt
)

// startWorker lets the worker work until the function that it returns is called.
func startWorker(ctx context.Context, api *client.Client) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		ended <- api.Work(ctx, map[string]client.WorkHandler{"image.resize": resize}, client.WorkOptions{
			Worker: workerName, Release: "images-1.4.2", Queues: []string{"images"}, Concurrency: 4, Grace: time.Second,
		})
	}()
	return func() error { cancel(); return <-ended }
}

func resize(ctx context.Context, t *client.LeasedTask) (any, error) {
	var image struct {
		Image int `json:"image"`
	}
	if err := json.Unmarshal(t.Payload, &image); err != nil || image.Image <= 0 {
		return nil, client.GiveUp(errors.New("not an image"))
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-time.After(imageTime):
	}
	if image.Image%badImage == 0 && t.Attempt == 1 {
		return nil, errors.New("out of memory while decoding")
	}
	return map[string]string{"thumbnail": fmt.Sprintf("thumb-%d.webp", image.Image)}, nil
}
