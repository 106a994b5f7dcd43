//! Names of services: kept by the root, asked for from everywhere.

use super::Conn;
use super::client::Form;
use super::link::Message;
use super::node::Node;
use crate::wire::{Reply, Service};
use std::collections::HashMap;

/// Who asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asker {
    Process(Conn, Form),
    /// A server below, by its own number for the question.
    Server(Conn, u64),
}

#[derive(Default)]
pub(super) struct Names {
    /// Service and port; at the root only.
    known: HashMap<Vec<u8>, Vec<u8>>,
    /// Questions that went to the parent.
    open: HashMap<u64, (Asker, Service)>,
    asked: u64,
}

impl Names {
    /// The root's answer: the port for a look-up.
    fn serve(&mut self, act: Service, service: Vec<u8>, port: Vec<u8>) -> Result<Vec<u8>, String> {
        let unknown = || "service_not_found".to_owned();
        match act {
            Service::Publish if self.known.contains_key(&service) => Err("key_already_present".to_owned()),
            Service::Publish => {
                self.known.insert(service, port);
                Ok(Vec::new())
            }
            Service::Lookup => self.known.get(&service).cloned().ok_or_else(unknown),
            Service::Unpublish => self.known.remove(&service).map(|_| Vec::new()).ok_or_else(unknown),
        }
    }
}

impl Node {
    pub(super) fn ask_name(&mut self, from: Asker, act: Service, service: Vec<u8>, port: Vec<u8>) {
        if self.root() {
            let result = self.names.serve(act, service, port);
            return self.answer_name(&from, act, result);
        }
        let id = self.names.asked;
        self.names.asked += 1;
        self.names.open.insert(id, (from, act));
        self.tell(Conn::Parent, &Message::AskName { id, act, service, port });
    }

    pub(super) fn name_told(&mut self, id: u64, result: Result<Vec<u8>, String>) {
        if let Some((from, act)) = self.names.open.remove(&id) {
            self.answer_name(&from, act, result);
        }
    }

    fn answer_name(&mut self, from: &Asker, act: Service, result: Result<Vec<u8>, String>) {
        match from {
            Asker::Process(conn, form) => self.reply(*conn, form, &Reply::Name { act, result }),
            Asker::Server(conn, id) => self.tell(*conn, &Message::TellName { id: *id, result }),
        }
    }
}
