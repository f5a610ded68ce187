package server

import "github.com/danielgtaylor/huma/v2"

// Schemas are the objects of the document.
func (s *Server) Schemas() huma.Registry { return s.table.Schemas() }
